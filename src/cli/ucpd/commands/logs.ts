import { UcpError } from '../../../core/errors.ts';
import { field } from '../../../core/unknown.ts';
import { systemClock } from '../../../controlplane/index.ts';
import { logDir, readLog, type StoredEvent } from '../../../telemetry/index.ts';
import { roomIn } from '../../outlet.ts';
import { type CliIo, createOutput, printable } from '../../output.ts';
import { findControlPlane } from '../client.ts';
import type { UcpdHost } from '../host.ts';
import { placesToFind } from '../places.ts';

export interface LogsOptions {
  readonly follow?: boolean;
  readonly since?: string;
  readonly json?: boolean;
}

/** `ucpd logs`: the local log of events, whether a control plane runs or not. */
export async function logs(options: LogsOptions, host: UcpdHost): Promise<void> {
  const abort = new AbortController();
  if (options.follow === true) process.once('SIGINT', () => abort.abort());
  const events = readLog(logDir(await stateDir(host)), {
    ...(options.since === undefined ? {} : { since: parseSince(options.since, systemClock.now()) }),
    ...(options.follow === true ? { follow: { clock: systemClock, signal: abort.signal } } : {}),
  });
  const paint = painter(host);
  // The clock's pauses keep no process alive.
  const alive = options.follow === true ? setInterval(() => undefined, 60_000) : undefined;
  for await (const event of events) {
    host.stdout.write(options.json === true ? `${JSON.stringify(event)}\n` : `${eventText(event, paint)}\n`);
    await roomIn(host.stdout);
  }
  clearInterval(alive);
}

async function stateDir(host: UcpdHost): Promise<string> {
  const found = await findControlPlane(host);
  if (found === undefined) return placesToFind(host).at(-1)?.stateDir ?? '';
  // The service may keep its state elsewhere than is usual.
  const stated = field(await found.client.call('status', {}), 'state_dir');
  found.client.close();
  return typeof stated === 'string' ? stated : found.paths.stateDir;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Milliseconds since the epoch that `--since` means: `10m`, `2h`, or a time as RFC 3339. Throws USAGE. */
export function parseSince(text: string, now: number): number {
  const span = /^(\d+)([smhd])$/.exec(text);
  const time = span === null ? Date.parse(text) : now - Number(span[1]) * (UNITS[span[2] ?? 's'] ?? 1) * 1000;
  if (!Number.isNaN(time)) return time;
  throw new UcpError(
    'USAGE',
    `--since ${text}: expected a span such as 10m, 2h, 1d, or a time such as 2026-01-31T12:00:00Z.`,
  );
}

type Paint = (severity: StoredEvent['severity'], text: string) => string;

function painter(io: CliIo): Paint {
  const output = createOutput(io, {});
  return (severity, text) => {
    if (severity === 'ERROR') return output.paint('red', text);
    return severity === 'WARN' ? output.paint('yellow', text) : text;
  };
}

function eventText(event: StoredEvent, paint: Paint): string {
  const { sandbox, violation, body } = event;
  const who = sandbox === undefined ? '' : ` [${sandbox.name ?? sandbox.sandbox_id}]`;
  const what =
    violation === undefined ? JSON.stringify(body) : `${violation.action}: ${violation.message} (${violation.rule})`;
  const line = `${new Date(event.time).toISOString()} ${event.severity.padEnd(5)} ${event.name}${who} ${what}`;
  return paint(event.severity, printable(line));
}
