import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

import { Scene } from '../../test/e2e/network/helpers/scene.ts';
import { median } from '../lib/measure.ts';
import { goal, table } from '../lib/table.ts';

const ROUNDS = 9;
const GOAL = 1_000;
/** How long nothing may happen before a round has failed, ms. */
const PATIENCE = 60_000;

/**
 * Asks NAME every 10 ms and keeps two connections to SITE, one that streams and one over which nothing goes. Prints a line
 * with the time in ms whenever something changes: `name yes|no`, `stream`, `idle` as they end.
 */
const WATCH = `
const [name, site] = process.argv.slice(1);
const dns = require('node:dns').promises; const net = require('node:net');
const say = (what) => console.log(what, Date.now());
for (const [what, port] of [['stream', 7000], ['idle', 80]]) {
  const socket = net.connect(port, site, () => say('open ' + what)).on('error', () => {}).on('close', () => say(what)).resume();
}
let before;
const ask = async () => {
  const resolver = new dns.Resolver({ timeout: 200, tries: 1 });
  const now = await resolver.resolve4(name).then(() => 'yes', () => 'no');
  if (now !== before) say('name ' + now);
  before = now;
  setTimeout(ask, 10);
};
ask();
`;

/** Lines of {@link WATCH} in a sandbox whose front end is there, so that its control plane comes back by itself. */
class Watch implements AsyncDisposable {
  readonly #child: ReturnType<Scene['host']['spawn']>;
  #said = '';

  constructor(scene: Scene) {
    const { denied } = scene.internet.at;
    const command = ['node', '-e', WATCH, 'allowed.example', denied.v4];
    const run = ['run', '-q', '--network-config', 'sites', scene.image, ...command];
    this.#child = scene.host.spawn(run, { stdin: 'ignore' });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    }
  }

  /** When `what` was said, of what was said after `since`. */
  async said(what: string, since = 0, patience = PATIENCE): Promise<number> {
    const find = (): number | undefined =>
      this.#said
        .split('\n')
        .filter((line) => line.startsWith(`${what} `))
        .map((line) => Number(line.split(' ').at(-1)))
        .find((at) => at >= since);
    const until = performance.now() + patience;
    while (find() === undefined && performance.now() < until) await setTimeout(5);
    const found = find();
    if (found === undefined) throw new Error(`expected "${what}" within ${patience} ms, got: ${this.#said}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#child;
  }
}

/** Kills a part and says how long names were not answered, ms: from the kill until the first answer after it. */
async function outage(watch: Watch, pid: number): Promise<number> {
  await watch.said('name yes');
  const killed = Date.now();
  process.kill(pid, 'SIGKILL');
  const gone = await watch.said('name no', killed);
  return (await watch.said('name yes', gone)) - killed;
}

/**
 * How fast things are shut and back: from a tightened policy being in force until a connection that streams and one that
 * is idle have ended; from the death of helper or control plane until names are answered again. Goal: 1 s, the worst.
 */
export async function reactions(): Promise<boolean> {
  const times: Record<string, number[]> = { 'stream ends': [], 'idle ends': [], helper: [], 'control plane': [] };
  await using scene = await Scene.start(() => ({}));
  const { allowed, denied } = scene.internet.at;
  const sites = (to: readonly string[]) => ({
    sites: { remediate: true, egress: [{ to: ['allowed.example', allowed.v4, ...to], ports: [80, 7000] }] },
  });
  await scene.publish(sites([denied.v4]));
  await scene.host.sandbox(['ps']);
  for (let round = 0; round < ROUNDS; round += 1) {
    await scene.setNetwork(sites([denied.v4]));
    await using watch = new Watch(scene);
    await Promise.all([watch.said('open stream'), watch.said('open idle'), watch.said('name yes')]);
    await scene.setNetwork(sites([]));
    const inForce = Date.now();
    for (const what of ['stream', 'idle']) {
      times[`${what} ends`]?.push(Math.max((await watch.said(what)) - inForce, 0));
    }
    const { pid } = JSON.parse(readFileSync(scene.host.path('s/helper/ucp-net.json'), 'utf8')) as { pid: number };
    times['helper']?.push(await outage(watch, pid));
    const status = JSON.parse((await scene.host.ucpd(['status', '--json'])).stdout) as { pid: number };
    times['control plane']?.push(await outage(watch, status.pid));
  }
  const rows = Object.entries(times).map(([what, all]) => [what, ...[median(all), Math.max(...all)].map(String)]);
  console.log(table(['ms until', 'median', 'worst'], rows));
  return Object.entries(times)
    .map(([what, all]) => goal(what, Math.max(...all), GOAL, 'ms'))
    .every(Boolean);
}
