import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';

import { SENSOR_POLICY, SENSOR_SOCKET } from '../../../../src/core/plan.ts';
import { connectFirst } from '../../../../src/sandbox/client/connect.ts';
import type { ControlClient } from '../../../../src/sandbox/client/control-client.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../../fakes/otlp-receiver.ts';
import { busybox } from '../../../images/index.ts';
import { until } from '../../helpers/docker.ts';
import { type Outcome, TestHost } from '../../helpers/host.ts';
import { directoryShelf, type Shelf } from './shelf.ts';

const FIXTURE = resolve(import.meta.dirname, 'dying-ucpd.ts');
const NAME = 'ucp-e2e-faults';

/** What says which policy is in force: status, and a sandbox's file. */
export interface InForce {
  readonly version: number;
  readonly generation: number;
  readonly digest: string;
}

export interface SiteOptions {
  /** Has the host before anything is in its state directory. */
  readonly prepare?: (host: TestHost) => Promise<void>;
  /** Where its policies are; default: a directory. */
  readonly shelf?: (host: TestHost) => Promise<Shelf> | Shelf;
}

/** A host with policies to load, one running sandbox, and a receiver that takes nothing until it is told to. */
export class Site {
  readonly host: TestHost;
  readonly receiver: OtlpReceiver;
  readonly #shelf: Shelf;
  version = 0;
  #sandbox = '';
  #violations = 0;
  #dying: ChildProcess | undefined;

  private constructor(host: TestHost, receiver: OtlpReceiver, shelf: Shelf) {
    this.host = host;
    this.receiver = receiver;
    this.#shelf = shelf;
  }

  static async open({ prepare, shelf: open = directoryShelf }: SiteOptions = {}): Promise<Site> {
    const receiver = await startOtlpReceiver();
    receiver.decide(() => ({ status: 503 }));
    const host = new TestHost();
    await prepare?.(host);
    const shelf = await open(host);
    Object.assign(host.env, shelf.env);
    const site = new Site(host, receiver, shelf);
    const lines = [...shelf.lines, 'policy: policy.json', 'policy_sig: policy.json.sig'];
    const ucpcm = [...lines, `public_key: file://${host.path('key.pub')}`].map((line) => `  ${line}`);
    writeFileSync(host.path('config.yaml'), [`event_url: ${receiver.url}`, 'ucpcm:', ...ucpcm, ''].join('\n'));
    await host.policy(['keygen', '--out', host.path('key')]);
    await site.publish();
    succeeded(await host.sandbox(['run', '-d', '--name', NAME, await busybox(), 'sleep', '3600']));
    site.#sandbox = host.sandboxDirs()[0] ?? '';
    await site.stop();
    return site;
  }

  async close(): Promise<void> {
    await this.host.sandbox(['rm', '-f', NAME]);
    await this.host[Symbol.asyncDispose]();
    await this.#shelf.close();
    await this.receiver.close();
  }

  /** Publishes the next version. */
  async publish(): Promise<void> {
    this.version += 1;
    const path = this.host.path('policy.json');
    writeFileSync(path, JSON.stringify({ policy_id: 'faults', version: this.version }));
    rmSync(`${path}.sig`, { force: true });
    succeeded(await this.host.policy(['sign', path, '--key', this.host.path('key')]));
    for (const name of ['policy.json.sig', 'policy.json']) await this.#shelf.put(name);
  }

  /** Takes the policies away or puts them back: without them a start has what it persisted and nothing else. */
  hide(hidden: boolean): void {
    this.#shelf.hide(hidden);
  }

  /** A control plane that dies at `point` of the next load; resolves when it serves. */
  async dying(point: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [FIXTURE, point], {
      env: this.host.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#dying = child;
    await heard(child, 'serving');
    return child;
  }

  /** Arms it: what was emitted before is durable now. */
  async arm(child: ChildProcess): Promise<void> {
    const armed = heard(child, 'armed');
    child.kill('SIGUSR2');
    await armed;
  }

  /** A client of the control plane that runs; starts the built one where none does. */
  async client(): Promise<ControlClient> {
    const socket = this.host.path('s/ucpd.sock');
    const found = await connectFirst([socket]);
    if (found !== undefined) return found;
    succeeded(await this.host.sandbox(['ps']));
    const started = await connectFirst([socket]);
    if (started === undefined) throw new Error('no control plane');
    return started;
  }

  async status(): Promise<{ readonly policy: InForce & { readonly source: string }; readonly startup_state: string }> {
    const client = await this.client();
    const status: Awaited<ReturnType<Site['status']>> = JSON.parse(JSON.stringify(await client.call('status', {})));
    client.close();
    return status;
  }

  /** Checks for a newer policy; undefined where the control plane died of it. */
  async sync(): Promise<unknown> {
    const client = await this.client();
    const synced = await client.call('sync', {}).catch(() => undefined);
    client.close();
    return synced;
  }

  /** Ends the control plane that runs, whichever it is. */
  stop(): Promise<unknown> {
    this.#dying?.kill('SIGKILL');
    return this.host.ucpd(['stop']);
  }

  /** The policy that the sandbox's sensors read: whole, whatever happened. */
  sensors(): InForce {
    const file: InForce = JSON.parse(readFileSync(join(this.#dir(), SENSOR_POLICY), 'utf8'));
    return { version: file.version, generation: file.generation, digest: file.digest };
  }

  /** Waits until the control plane has its sandbox back and the sensors have what `status` says. */
  async agreed(): Promise<InForce> {
    const client = await this.client();
    const { sandboxes } = await client.call('list', { all: false });
    client.close();
    if (sandboxes[0]?.state !== 'running') throw new Error(`the sandbox does not run: ${JSON.stringify(sandboxes)}`);
    const { version, generation, digest } = (await this.status()).policy;
    await until(
      'the sensors have it',
      () => JSON.stringify(this.sensors()) === JSON.stringify({ version, generation, digest }),
    );
    return { version, generation, digest };
  }

  /** A sensor of the sandbox reports a violation; its id, once the control plane has logged it. */
  async violate(): Promise<string> {
    const id = await this.report();
    await until('logged', async () => (await this.host.ucpd(['logs', '--json'])).stdout.includes(`"${id}"`));
    return id;
  }

  /** A sensor of the sandbox reports a violation; its id, once the control plane has read it. */
  async report(): Promise<string> {
    this.#violations += 1;
    const id = `violation-${this.#violations}`;
    const violation = { rule: '/mcp', mode: 'enforce', action: 'blocked', message: 'no' };
    const what = { name: 'mcp_violation', domain: 'mcp', severity: 'ERROR', scope: 'test', body: {}, violation };
    const socket = createConnection(join(this.#dir(), SENSOR_SOCKET));
    socket.end(`${JSON.stringify({ v: 1, id, time: Date.now(), generation: 1, ...what })}\n`);
    await once(socket.resume(), 'close');
    return id;
  }

  #dir(): string {
    return this.host.path('s/sandboxes', this.#sandbox);
  }
}

function succeeded({ exitCode, stderr }: Outcome): void {
  if (exitCode !== 0) throw new Error(`ended with ${exitCode}: ${stderr}`);
}

async function heard(child: ChildProcess, word: string): Promise<void> {
  let text = '';
  await new Promise<void>((done, fail) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(`${word}\n`)) done();
    });
    child.once('exit', (code) => fail(new Error(`ended with ${String(code)} before it said ${word}`)));
  });
}
