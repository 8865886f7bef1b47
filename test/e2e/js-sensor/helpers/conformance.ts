import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { execa } from 'execa';

import { until } from '../../helpers/docker.ts';
import { freePort } from '../../helpers/free-port.ts';
import { ResultList, sensorFlags, sensorVariables, type Results, type Way } from './suites.ts';

/** A program under test: what follows `node`, and the suite's program. A server gets its port as argument and as `PORT`. */
export interface Subject {
  readonly suite: string;
  readonly program: readonly string[];
  readonly cwd?: string;
}

/** Path of the suite's program under a directory with packages. */
export const suiteIn = (root: string): string =>
  join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Arguments of the suite that say what of it is run: one run each. */
export type Chosen = readonly (readonly string[])[];

/** Every scenario of an era. */
export const wholeOf = (era: string): Chosen => [['--suite', 'all', '--spec-version', era]];

/** These scenarios of an era. */
export const someOf = (era: string, scenarios: readonly string[]): Chosen =>
  scenarios.map((one) => ['--scenario', one, '--spec-version', era]);

/** Checks whose verdict says how busy the machine is. */
const TIMED: ReadonlySet<string> = new Set(['client-sse-retry-timing']);

/** Milliseconds that a client may take which say nothing of it: the suite starts all at once, and the machine may be busy. */
const PATIENCE = 120_000;

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
}

/** The checks that failed. */
export function failed(results: Results): readonly string[] {
  return [...results].filter(([, status]) => status === 'FAILURE').map(([check]) => check);
}

/** The suite's verdicts on a server, by scenario and check. */
export async function serverVerdicts(subject: Subject, way: Way, chosen: Chosen): Promise<Results> {
  const { suite, program, cwd } = subject;
  const port = await freePort();
  const server = execa(process.execPath, [...sensorFlags(way), ...program, String(port)], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...sensorVariables(way), PORT: String(port) },
    reject: false,
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const status = async (): Promise<number> => (await fetch(url).catch(() => undefined))?.status ?? 0;
  try {
    await until('the server answers', async () => (await status()) > 0);
    return await verdicts(suite, ['server', '--url', url], chosen);
  } finally {
    server.kill();
    await server;
  }
}

/** The suite's verdicts on a client, by scenario and check. */
export async function clientVerdicts(subject: Subject, way: Way, chosen: Chosen): Promise<Results> {
  const { suite, program, cwd } = subject;
  const command = [process.execPath, ...sensorFlags(way), ...program].join(' ');
  const options = { ...(cwd === undefined ? {} : { cwd }), env: sensorVariables(way) };
  return verdicts(suite, ['client', '--timeout', String(PATIENCE), '--command', command], chosen, options);
}

/** The suite's verdicts, by scenario and check, when it is run with `argv` and with each of `chosen`. */
export async function verdicts(
  suite: string,
  argv: readonly string[],
  chosen: Chosen,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Results> {
  const out = mkdtempSync(join(tmpdir(), 'ucp-conformance-'));
  try {
    for (const some of chosen) {
      const ran = await execa(process.execPath, [suite, ...argv, ...some, '--output-dir', out], {
        cwd: out,
        ...options,
        reject: false,
        all: true,
      });
      if (globSync('**/checks.json', { cwd: out }).length === 0) {
        throw new Error(`no results of ${argv.join(' ')} ${some.join(' ')}:\n${ran.all}`);
      }
    }
    return resultsIn(out);
  } finally {
    rmSync(out, { recursive: true });
  }
}

function resultsIn(out: string): Results {
  const list = new ResultList();
  for (const file of globSync('**/checks.json', { cwd: out }).toSorted()) {
    const scenario = dirname(file).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    for (const { id, status } of JSON.parse(readFileSync(join(out, file), 'utf8')) as readonly Check[]) {
      if (status !== 'INFO') list.add(`${scenario}: ${id}`, TIMED.has(id) ? 'timed' : status);
    }
  }
  return list.results;
}
