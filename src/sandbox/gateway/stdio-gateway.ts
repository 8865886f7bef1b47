import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import type { ActiveGateway } from './active.ts';
import type { Report } from './events.ts';
import { Passage } from './passage.ts';

/** Bytes of a server's first words that are kept for a policy that comes later: its name is among them. */
const HEAD = 64 * 1024;
/** How long the end waits for events to be handed over, ms. */
const PATIENCE = 1_000;

/**
 * Stands between a client and the stdio server in a sandbox. Without a policy that wants it, bytes pass as they come and
 * nothing is read or loaded; with one, every line is judged. A policy may come, change and go while bytes flow.
 */
export class StdioGateway {
  /** Takes the server's output. */
  readonly stdout: Passage;
  /** Whether a policy has come, which is in force when {@link ready}. */
  hasPolicy = false;
  readonly #client: { readonly stdout: Writable; readonly stderr: Writable };
  readonly #report: Report;
  #input: Passage | undefined;
  #active: ActiveGateway | undefined;
  #on = false;
  #updates: Promise<void> = Promise.resolve();
  #head: Buffer[] = [];
  #headLength = 0;

  constructor(client: { readonly stdout: Writable; readonly stderr: Writable }, report: Report) {
    this.#client = client;
    this.#report = report;
    const { stdout } = client;
    this.stdout = new Passage(stdout, { paced: [stdout], endsTarget: false, passing: (bytes) => this.#keep(bytes) });
    stdout.on('error', (error) => this.stdout.destroy(error));
  }

  /** Resolves when all policies that have come are in force; rejects when one could not be read. */
  get ready(): Promise<void> {
    return this.#updates;
  }

  /** What takes the client's input on its way to `server`, the container's stdin. */
  input(server: Writable): Writable {
    const paced = [server, this.#client.stdout];
    this.#input = new Passage(server, { paced, endsTarget: true });
    this.#listen();
    return this.#input;
  }

  /** A policy is in force from now on; null: one without a gateway. Rejects when it can't be read: the last one stays. */
  async update(file: SensorPolicyFile | null): Promise<void> {
    // At once: the end of a short-lived server may be told in the same breath, and its last words wait for `ready`.
    this.hasPolicy = true;
    const before = this.#updates.catch(() => undefined);
    this.#updates = before.then(() => this.#apply(file));
    await this.#updates;
  }

  /** The server has ended, as `why` says: judges what is left of its output and resolves when all of it has left this process. */
  async finish(why = 'The server has ended.'): Promise<void> {
    const { stdout } = this.#client;
    if (!this.stdout.destroyed) {
      this.stdout.end();
      if (!this.stdout.writableFinished) await once(this.stdout, 'close').catch(() => undefined);
    }
    this.#active?.serverEnded(why);
    if (stdout.writableLength > 0 && !stdout.destroyed) {
      await new Promise<void>((resolve) => {
        stdout.once('error', () => resolve());
        stdout.write('', () => resolve());
      });
    }
    await Promise.race([this.#active?.flushed(), delay(PATIENCE, undefined, { ref: false })]);
  }

  async #apply(file: SensorPolicyFile | null): Promise<void> {
    if (file === null) {
      this.#on = false;
      this.#listen();
      return;
    }
    if (this.#active === undefined) {
      const { ActiveGateway } = await import('./active.ts');
      this.#active = new ActiveGateway(file, this.#ways(), this.#report);
      this.#active.catchUp(Buffer.concat(this.#head));
      this.#head = [];
    } else {
      this.#active.update(file);
    }
    this.#on = this.#active.enabled;
    this.#listen();
  }

  #listen(): void {
    const active = this.#on ? this.#active : undefined;
    this.stdout.listen(active?.fromServer);
    this.#input?.listen(active?.fromClient);
  }

  #ways(): ConstructorParameters<typeof ActiveGateway>[1] {
    return {
      toServer: (bytes) => this.#input?.pass(bytes),
      toClient: (bytes) => this.stdout.pass(bytes),
      answer: (bytes) => this.stdout.insert(bytes),
      answerServer: (bytes) => this.#input?.insert(bytes),
      toUser: (bytes) => void this.#client.stderr.write(bytes),
    };
  }

  #keep(bytes: Buffer): void {
    if (this.#active !== undefined || this.#headLength >= HEAD) return;
    this.#head.push(bytes);
    this.#headLength += bytes.length;
  }
}
