import type { Socket } from 'node:net';

import { toUcpError, UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { listenUnix, type UnixServer } from '../server/unix-server.ts';
import { childLauncher } from './child.ts';
import { containerLauncher } from './container.ts';
import { FramedLink, type HelperLink } from './link.ts';
import { helperPlaces } from './places.ts';
import type { HelperContext, HelperLauncher, HelperProcess, HelperSpec } from './spec.ts';

/** How long a started helper may take to connect, and one that lives to connect again, ms. */
const CONNECT = 20_000;
/** How often a helper that is waited for is looked at, ms. */
const LOOK = 100;
/** Pauses between attempts to get a lost helper back, ms; the last one repeats. */
const RETRY = [200, 500, 1_000, 5_000];

type Restarted = (link: HelperLink) => Promise<void>;

/**
 * One privileged helper of this control plane: started when it is first needed, taken over from an earlier control
 * plane where it lives, started again when it dies. It connects to us, so it comes back to whoever serves the socket.
 */
export class Helper {
  readonly #spec: HelperSpec;
  readonly #context: HelperContext;
  readonly #events: ((event: JsonObject) => void)[] = [];
  readonly #restarted: Restarted[] = [];
  #launcher: HelperLauncher | undefined;
  #server: UnixServer | undefined;
  #process: HelperProcess | undefined;
  #link: FramedLink | undefined;
  #connecting: Promise<FramedLink> | undefined;
  /** A connection that nobody has taken yet. */
  #arrived: Socket | undefined;
  #wake: () => void = () => undefined;
  #recovering = false;
  #stopped = false;

  constructor(spec: HelperSpec, context: HelperContext) {
    this.#spec = spec;
    this.#context = context;
  }

  /** Hears every event of every connection. */
  onEvent(listener: (event: JsonObject) => void): void {
    this.#events.push(listener);
  }

  /** Is called with each connection after the first: what the helper had been told may be lost. */
  onRestart(listener: Restarted): void {
    this.#restarted.push(listener);
  }

  /** The connection. Rejects with HELPER_UNAVAILABLE, or what the engine says. */
  async link(): Promise<HelperLink> {
    if (this.#stopped) throw new UcpError('HELPER_GONE', `The helper ${this.#spec.program} is being stopped.`);
    if (this.#link?.open === true) return this.#link;
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** The connection to one that lives already, also of an earlier control plane; undefined where there is none. */
  async existing(): Promise<HelperLink | undefined> {
    if (this.#process === undefined && this.#connecting === undefined) {
      this.#process = await this.#launch().find();
      if (this.#process === undefined) return undefined;
    }
    return this.link();
  }

  /** Lets go of it without ending it: it goes on enforcing and comes back to the next control plane. */
  async leave(): Promise<void> {
    this.#stopped = true;
    await this.#connecting?.catch(() => undefined);
    await this.#server?.close();
  }

  /** Ends it, also one that an earlier control plane left; what it enforced is enforced no more. */
  async stop(): Promise<void> {
    await this.leave();
    const found = this.#process ?? (await this.#launch().find());
    await found?.stop();
  }

  #launch(): HelperLauncher {
    const make = this.#context.mode(this.#spec) === 'child' ? childLauncher : containerLauncher;
    return (this.#launcher ??= make(this.#spec, this.#context));
  }

  async #connect(): Promise<FramedLink> {
    this.#server ??= await this.#listen();
    this.#process ??= await this.#launch().find();
    if (this.#process === undefined || !(await this.#process.alive())) await this.#start();
    const socket = await this.#arrival();
    const link = new FramedLink(socket, this.#spec.program, (event) => {
      for (const listener of this.#events) listener(event);
    });
    await link.greet().catch((thrown: unknown) => {
      link.close();
      throw thrown;
    });
    this.#link = link;
    void link.closed.then(() => this.#recover());
    return link;
  }

  async #start(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
    this.#arrived?.destroy();
    this.#arrived = undefined;
    const { endpoint } = this.#context.engine;
    if (!endpoint.startsWith('unix:')) {
      throw new UcpError(
        'HELPER_UNAVAILABLE',
        `The engine at ${endpoint} is not on this host: no helper can work beside it.`,
      );
    }
    this.#process = await this.#launch().start();
  }

  /** The next connection of the helper that lives. */
  async #arrival(): Promise<Socket> {
    const { clock } = this.#context;
    for (const end = clock.monotonic() + CONNECT; clock.monotonic() < end; await this.#look()) {
      const socket = this.#arrived;
      if (socket !== undefined && !socket.destroyed) {
        this.#arrived = undefined;
        return socket;
      }
      if (this.#stopped || this.#process === undefined || !(await this.#process.alive())) break;
    }
    throw await this.#failure();
  }

  async #failure(): Promise<UcpError> {
    const words = await this.#process?.lastWords().catch(() => '');
    const { program } = this.#spec;
    return new UcpError(
      'HELPER_UNAVAILABLE',
      `The helper ${program} does not connect: ${words === undefined || words === '' ? 'it ended or hangs' : words}`,
    );
  }

  /** Gets it back, however often that takes: what it enforces waits for it. */
  async #recover(): Promise<void> {
    if (this.#recovering) return;
    this.#recovering = true;
    const { logger } = this.#context;
    for (let attempt = 0; !this.#stopped; attempt += 1) {
      try {
        const link = await this.link();
        for (const listener of this.#restarted) await listener(link);
        if (!link.open) continue;
        logger.info('a helper is back', { program: this.#spec.program });
        break;
      } catch (thrown) {
        const cause = toUcpError(thrown).message;
        if (!this.#stopped) logger.error('a helper is lost', { program: this.#spec.program, cause });
        await this.#pause(RETRY[Math.min(attempt, RETRY.length - 1)] ?? 0);
      }
    }
    this.#recovering = false;
  }

  /** Waits for a connection, at most until it is time to look whether the helper lives. */
  #look(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#context.clock.after(LOOK, resolve);
    });
  }

  #listen(): Promise<UnixServer> {
    return listenUnix({
      path: helperPlaces(this.#context.stateDir, this.#spec.program).socket,
      // Everyone who reaches the directory: the container's root, who is nobody to this file, and us.
      mode: 0o666,
      onConnection: (socket) => {
        socket.on('error', () => undefined);
        // There is one connection at a time; the one before may be known as dead only in a moment.
        this.#arrived?.destroy();
        this.#arrived = socket;
        this.#wake();
      },
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#context.clock.after(ms, resolve));
  }
}
