import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Collector } from './helpers/collector.ts';
import { clientVerdicts, failed, serverVerdicts, someOf, suiteIn, wholeOf } from './helpers/conformance.ts';
import { packages } from './helpers/packages.ts';
import { differences, POLICIES, type Results, type Suite } from './helpers/suites.ts';

const FULL = process.env['UCP_FULL'] === '1';
const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
/** Scenarios of extensions that both SDKs have what is needed for. */
const EXTENSIONS = ['auth/client-credentials-jwt', 'auth/client-credentials-basic'].map((one) => ['--scenario', one]);

const SERVERS = [
  // The gateway's own test shows that it adds what this server does not do.
  ['conformance-server.mjs', LEGACY, ['server-dns-rebinding-protection: localhost-host-rebinding-rejected']],
  ['conformance-v2-server.mjs', MODERN, []],
] as const;

/** Clients and the scenarios of theirs that are always run; with UCP_FULL=1 it is every one. */
const CLIENTS = (
  [
    ['v1', LEGACY, ['tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']],
    ['v2', LEGACY, []],
    ['v2', MODERN, ['sep-2322-client-request-state', 'auth/iss-supported']],
  ] as const
).filter(([, , some]) => FULL || some.length > 0);

const ways = Object.keys(POLICIES).filter((name) => FULL || name === 'enforcing') as (keyof typeof POLICIES)[];

/** Runs a suite without the sensor and under each policy: every check must end the same, and the sensor must have seen it. */
async function compare(suite: Suite, known: readonly string[]): Promise<Results> {
  await using unwatched = await Collector.listening();
  const plain = await suite({ collector: unwatched, policy: undefined });
  expect(failed(plain)).toEqual(known);
  for (const name of ways) {
    await using collector = await Collector.listening();
    const watched = await suite({ collector, policy: POLICIES[name] });
    expect([name, ...differences(plain, watched)]).toEqual([name]);
    const starts = collector.named('sensor_started').length;
    const calls = collector.named('mcp_tool_call').length;
    expect([name, starts > 0, calls > 0]).toEqual([name, true, true]);
    expect([...collector.named('sensor_error'), ...collector.named('mcp_violation')]).toEqual([]);
    if (FULL) console.log(`${plain.size} checks; ${name}: ${starts} programs with the sensor, ${calls} tool calls`);
  }
  return plain;
}

describe('the conformance suite', () => {
  test.each(SERVERS)('says the same of %s in the era %s with and without the sensor', async (name, era, known) => {
    const root = await packages('conformance');
    const subject = { suite: suiteIn(root), program: [join(root, 'programs', name)] };
    const plain = await compare((way) => serverVerdicts(subject, way, wholeOf(era)), known);
    expect(plain.size).toBeGreaterThan(75);
  });

  test.each(CLIENTS)(
    'says the same of a client of SDK %s in the era %s with and without the sensor',
    async (sdk, era, some) => {
      const root = await packages('conformance');
      const subject = { suite: suiteIn(root), program: [join(root, 'programs/conformance-client.mjs'), sdk] };
      const chosen = FULL ? [...wholeOf(era), ...EXTENSIONS] : someOf(era, some);
      const plain = await compare((way) => clientVerdicts(subject, way, chosen), []);
      expect(plain.size).toBeGreaterThan(FULL ? 250 : 0);
    },
  );
});
