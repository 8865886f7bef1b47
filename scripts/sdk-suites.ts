/**
 * `npm run sdk-suites -- [--policy observing|enforcing] CHECKOUT [PACKAGE [FILE…]]`: runs the test suites of a checkout of the
 * MCP TypeScript SDK (v1 or v2, with its dependencies installed and its packages built), and the conformance suite on its own
 * programs, without the JavaScript sensor, with it observing, and with it enforcing a policy that denies nothing that the
 * tests use. Each test must end the same. Needs `npm run build`; takes minutes.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import type { JsonObject } from '../src/core/json.ts';
import { Collector } from '../test/e2e/js-sensor/helpers/collector.ts';
import { differences, POLICIES, type Results, type Suite } from '../test/e2e/js-sensor/helpers/suites.ts';
import { conformanceSuites } from './sdk/conformance.ts';
import { runVitest, vitestFolders } from './sdk/vitest.ts';

function count(results: Results): string {
  const passed = [...results.values()].filter((status) => /^(?:passed|SUCCESS)$/.test(status)).length;
  return `${passed} of ${results.size} passed`;
}

/** Runs one suite in every way; true when there was no difference and the sensor had no error. */
async function compare(name: string, suite: Suite, policies: readonly string[]): Promise<boolean> {
  const plain = await inWay(undefined, suite);
  console.log(`${name}: ${count(plain.results)}`);
  let same = true;
  for (const [how, policy] of Object.entries(POLICIES)) {
    if (policies.length > 0 && !policies.includes(how)) continue;
    const { results, starts, events, errors } = await inWay(policy, suite);
    console.log(`  ${how}: ${count(results)}; ${starts} programs with the sensor, ${events} events of MCP`);
    const wrong = [...errors, ...differences(plain.results, results)];
    for (const line of wrong) console.log(`    MISS ${line}`);
    if (wrong.length > 0 || starts === 0) same = false;
  }
  return same;
}

async function inWay(policy: JsonObject | undefined, suite: Suite) {
  await using collector = await Collector.listening();
  const results = await suite({ collector, policy });
  return {
    results,
    starts: collector.named('sensor_started').length,
    events: collector.lines.filter(({ domain }) => domain === 'mcp').length,
    errors: collector.named('sensor_error').map(({ body }) => `sensor_error ${JSON.stringify(body)}`),
  };
}

async function main(argv: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { policy: { type: 'string', multiple: true, default: [] } },
  });
  const [checkout, only, ...files] = positionals;
  if (checkout === undefined) throw new Error('expected the directory of a checkout of the MCP TypeScript SDK');
  const root = resolve(checkout);
  const suites = new Map(conformanceSuites(root));
  for (const folder of vitestFolders(root)) suites.set(folder, (way) => runVitest(join(root, folder), way, files));
  const wanted = [...suites].filter(([name]) => only === undefined || name === only);
  if (wanted.length === 0) throw new Error(`expected one of ${[...suites.keys()].join(', ')} in ${root}`);
  const all: boolean[] = [];
  for (const [name, suite] of wanted) all.push(await compare(name, suite, values.policy));
  console.log(all.every(Boolean) ? 'ok: every test ends the same with the sensor' : 'MISS: see above');
  return all.every(Boolean);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
