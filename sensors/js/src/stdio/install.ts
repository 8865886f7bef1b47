/**
 * Puts a {@link Wire} on this program's own stdin and stdout, and on those of its children, where both are pipes.
 * Servers and clients of MCP that use an SDK are not its affair: see mcp/start-hook.ts.
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

import { denialError } from '../../../../src/policy/mcp/denial.ts';
import type { Refusal } from '../mcp/conversation.ts';
import { reportFinding } from '../mcp/report.ts';
import type { Taps } from '../mcp/start-hook.ts';
import { isWorker } from '../runtime/thread.ts';
import type { Sensor } from '../sensor.ts';
import { guarded } from '../wrap.ts';
import { readBySdk } from './recognise.ts';
import { type Intercepted, interceptReadable, interceptWritable } from './streams.ts';
import { Wire } from './wire.ts';

/** Waits for the program to ask for its stdin: it is opened then, not before. */
export function installStdin(sensor: Sensor, taps: Taps): void {
  const property = Object.getOwnPropertyDescriptor(process, 'stdin');
  if (isWorker() || property?.get === undefined || property.configurable !== true) return;
  Object.defineProperty(process, 'stdin', {
    ...property,
    get: () => {
      Object.defineProperty(process, 'stdin', property);
      const { stdin } = process;
      guarded(
        (error) => sensor.report('stdin', error),
        () => watchStdin(sensor, taps, stdin),
      );
      return stdin;
    },
  });
}

/** One that nobody watches a side of is left alone: the policy may change, the streams of a program don't. */
function watchStdin(sensor: Sensor, taps: Taps, stdin: Readable & { readonly isTTY?: boolean }): void {
  if (stdin.isTTY === true) return;
  let out: Intercepted | undefined;
  const wire = new Wire(sensor, {
    role: 'server',
    pass: (way, bytes) => (way === 'in' ? source : out)?.pass(bytes),
    carried: () => readBySdk(stdin.listeners('data')) || taps.hold([stdin, process.stdout]),
    opened: (tap) => {
      out = interceptWritable(process.stdout, { take: (chunk) => wire.take('out', chunk), end: () => wire.end('out') });
      process.on('exit', () => wire.end('out'));
      taps.add(tap, tap.tap);
    },
    closed: () => source.restore(),
  });
  const source = interceptReadable(stdin, { take: (chunk) => wire.take('in', chunk), end: () => wire.end('in') });
}

/** A child whose stdin and stdout are pipes may be a server. */
export function watchChild(
  sensor: Sensor,
  taps: Taps,
  child: ChildProcess,
  server: { readonly command: string; readonly args: readonly string[] },
): void {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null || stdin === undefined || stdout === undefined) return;
  let source: Intercepted | undefined;
  const wire = new Wire(sensor, {
    role: 'client',
    server,
    pass: (way, bytes) => (way === 'out' ? sink : source)?.pass(bytes),
    carried: () => readBySdk(stdout.listeners('data')) || taps.hold([child, stdin, stdout]),
    opened: (tap) => {
      source = interceptReadable(stdout, { take: (chunk) => wire.take('in', chunk), end: () => wire.end('in') });
      taps.add(tap, tap.tap);
    },
    closed: () => sink.restore(),
    refused: () => refusalOf(sensor, server),
  });
  const sink = interceptWritable(stdin, { take: (chunk) => wire.take('out', chunk), end: () => wire.end('out') });
}

/** `stdio_servers`, for a server that runs already. */
function refusalOf(
  sensor: Sensor,
  server: { readonly command: string; readonly args: readonly string[] },
): Refusal | undefined {
  const finding = sensor.decider()?.connection({ transport: 'stdio', ...server });
  if (finding === undefined) return undefined;
  const scene = { side: 'client', server: server.command, transport: 'stdio' } as const;
  const id = reportFinding(sensor, scene, { method: 'connect', target: undefined, finding });
  return finding.action === 'blocked' ? denialError(finding, sensor.policyId(), id) : undefined;
}
