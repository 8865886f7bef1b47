import { join, resolve } from 'node:path';

import { execa } from 'execa';

import type { JsonObject } from '../../../../src/core/json.ts';
import type { SensorLine } from '../../../../src/core/sensor-protocol.ts';
import { Collector } from './collector.ts';
import { writePolicy } from './policy.ts';

export const PRELOAD = resolve(import.meta.dirname, '../../../../dist/sensors/js/preload.cjs');

/** How a program gets the sensor; in a sandbox by `NODE_OPTIONS`. */
export type Loading = 'import' | 'require' | 'NODE_OPTIONS' | 'none';

export interface RunOptions {
  readonly node?: string;
  readonly policy?: JsonObject;
  readonly loading?: Loading;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly input?: string;
  readonly cwd?: string;
}

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly SensorLine[];
}

/** Flags and environment that bring the sensor into `node`. */
const LOADINGS: Readonly<Record<Loading, { flags: readonly string[]; env: Readonly<Record<string, string>> }>> = {
  import: { flags: ['--import', PRELOAD], env: {} },
  require: { flags: ['--require', PRELOAD], env: {} },
  NODE_OPTIONS: { flags: [], env: { NODE_OPTIONS: `--require ${PRELOAD}` } },
  none: { flags: [], env: {} },
};

/** Runs `node program args…` to its end, with the sensor and a control plane that listens. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  await using collector = await Collector.listening();
  const policyFile = join(collector.directory, 'policy.json');
  if (options.policy !== undefined) writePolicy(policyFile, options.policy);
  const { flags, env } = LOADINGS[options.loading ?? 'import'];
  const result = await execa(options.node ?? process.execPath, [...flags, ...(options.flags ?? []), ...argv], {
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    timeout: 60_000,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: collector.directory,
      UCP_POLICY_FILE: policyFile,
      UCP_SENSOR_SOCKET: collector.socket,
      ...env,
      ...options.env,
    },
  });
  await collector.drained();
  return {
    exitCode: result.exitCode ?? -1,
    stdout: result.stdout,
    stderr: result.stderr,
    lines: collector.lines,
  };
}
