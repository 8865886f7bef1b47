import { docker } from '../../test/e2e/helpers/docker.ts';
import { namesOf } from '../../test/e2e/network/helpers/names.ts';
import { Scene } from '../../test/e2e/network/helpers/scene.ts';
import { median } from '../lib/measure.ts';
import { goal, table } from '../lib/table.ts';

const ROUNDS = 7;
/** Questions of a round, 6 ms apart: below the rate that a sandbox is held to. */
const QUESTIONS = 150;

/** Asks `names` one after another of SERVER by UDP and prints how long each answer took, in microseconds. */
const ASK = `
import json, socket, sys, time
server, names = sys.argv[1], sys.argv[2].split(',')
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); sock.settimeout(5); sock.connect((server, 53))
times = []
for number, name in enumerate(names):
    labels = b''.join(bytes([len(part)]) + part.encode() for part in name.split('.'))
    packet = number.to_bytes(2, 'big') + bytes.fromhex('01000001000000000000') + labels + bytes.fromhex('0000010001')
    began = time.perf_counter(); sock.send(packet); answer = sock.recv(4096)
    times.append((time.perf_counter() - began) * 1e6)
    assert answer[:2] == packet[:2] and answer[3] & 15 == 0 and answer[7] > 0, (name, answer)
    time.sleep(0.006)
print(json.dumps(times))
`;

/**
 * The time until a DNS answer, from a sandbox under a network configuration and from a plain container that asks the same
 * resolver itself; for a name that is asked again and again, and for names of new addresses each. Goal: 1 ms more.
 */
export async function dnsAnswers(): Promise<boolean> {
  await using scene = await Scene.start(() => ({
    web: { remediate: true, egress: [{ to: ['allowed.example', '*.new.example'], ports: [443] }] },
  }));
  const { resolver, host } = scene.internet.at;
  const fresh = Array.from({ length: 250 }, (_, index) => `n${index}.new.example`);
  await scene.internet.setNames([
    ...namesOf(scene.internet.at),
    ...fresh.map((name, index) => ({ name, type: 'A' as const, data: `203.0.113.${index + 1}`, ttl: 300 })),
  ]);
  await using box = await scene.sandbox('web');
  const { stdout: plain } = await docker('run', '-d', '--rm', scene.image, 'sleep', '600');
  try {
    const again = Array.from({ length: QUESTIONS }, () => 'allowed.example');
    const cases = { 'asked again': Array.from({ length: ROUNDS }, () => again), 'of new addresses': [fresh] };
    const rows: (readonly string[])[] = [];
    let reached = true;
    for (const [what, rounds] of Object.entries(cases)) {
      const times: { direct: number[]; sandboxed: number[] } = { direct: [], sandboxed: [] };
      for (const names of rounds) {
        times.direct.push(...(await ask(plain, resolver.v4, names)));
        // Whoever is asked: the question comes to the control plane.
        times.sandboxed.push(...(await ask(box.name, host.v4, names)));
      }
      const [direct, sandboxed] = [median(times.direct), median(times.sandboxed)];
      rows.push([`a name ${what}`, micros(direct), micros(sandboxed), micros(sandboxed - direct)]);
      reached = goal(`a DNS answer more, names ${what}`, (sandboxed - direct) / 1000, 1, 'ms') && reached;
    }
    console.log(table(['median of', 'asked directly', 'in a sandbox', 'more'], rows));
    return reached;
  } finally {
    await docker('rm', '-f', plain);
  }
}

/** Microseconds that the answer to each name took. */
async function ask(container: string, server: string, names: readonly string[]): Promise<readonly number[]> {
  const { stdout, stderr } = await docker('exec', container, 'python3', '-c', ASK, server, names.join(','));
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as number[];
}

function micros(value: number): string {
  return `${Math.round(value)} µs`;
}
