import { text } from 'node:stream/consumers';

import { execa } from 'execa';

import type { JsonObject } from '../../../../src/core/json.ts';
import type { SensorLine } from '../../../../src/core/sensor-protocol.ts';
import { Collector } from './collector.ts';
import { type PackageSet, program } from './packages.ts';
import { type Exchange, Recorder } from './recorder.ts';
import { PRELOAD } from './run.ts';
import { sensorVariables } from './suites.ts';

/** A server over HTTP: packages, line of the SDK, kind (programs/http-server.mjs). */
export type Served = readonly [PackageSet, 'v1' | 'v2', string];

/** What a conversation left. */
export interface Heard {
  readonly exchanges: readonly Exchange[];
  readonly stdout: string;
  readonly stderr: string;
  readonly address: string;
  readonly lines: readonly SensorLine[];
}

/** Who talks to the server; it finds the server at the recorder's port. */
type Talk = (recorder: Recorder, start: (name: string, ...args: readonly string[]) => Promise<string>) => Promise<void>;

/**
 * Runs a server and `talk`, with a recorder between both; with `policy` every program has the sensor. Random is: the
 * recorder's port, ids of sessions, dates. They are replaced.
 */
export async function overHttp(
  [set, line, kind]: Served,
  talk: Talk,
  options: { readonly policy?: JsonObject | undefined; readonly node?: string } = {},
): Promise<Heard> {
  await using collector = await Collector.listening();
  await using recorder = await Recorder.listening();
  const { policy, node = process.execPath } = options;
  const flags = policy === undefined ? [] : ['--import', PRELOAD];
  const env = { PATH: process.env['PATH'] ?? '', ...sensorVariables({ collector, policy }) };
  const spawn = (path: string, args: readonly string[]) =>
    execa(node, [...flags, path, ...args], { extendEnv: false, env, stdin: 'ignore', reject: false, buffer: false });
  const server = spawn(await program(set, 'http-server.mjs'), [line, kind, `127.0.0.1:${recorder.port}`]);
  const complaints = text(server.stderr);
  const said = await new Promise<string>((resolve) => {
    server.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    server.stdout.once('end', () => resolve('{}'));
  });
  const { address = '', port = 0 } = JSON.parse(said) as { readonly address?: string; readonly port?: number };
  recorder.target = port;
  let stdout = '';
  let stderr = '';
  await talk(recorder, async (name, ...args) => {
    const child = spawn(await program(set, name), args);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), child]);
    stdout += out;
    stderr += err;
    return out;
  });
  if (policy !== undefined) await collector.until((lines) => lines.some(({ domain }) => domain === 'mcp'));
  server.kill('SIGTERM');
  await server;
  stderr += await complaints;
  await collector.drained();
  const plain = (bytes: string): string =>
    bytes
      .replaceAll(String(recorder.port), 'PORT')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
      .replaceAll(/^date: .*$/gim, 'date: NOW');
  return { exchanges: recorder.exchanges(plain), stdout, stderr, address, lines: collector.lines };
}
