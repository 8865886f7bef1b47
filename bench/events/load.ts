import type { NewEvent } from '../../src/core/events.ts';

/** What an emitting process does, as its command line says it. */
export interface Load {
  readonly subject: 'ucp' | 'opentelemetry';
  readonly url: string;
  readonly stateDir: string;
  /** Events per second, one in a hundred of them critical. */
  readonly rate: number;
  readonly seconds: number;
  /** Seconds that it may take to deliver the rest. */
  readonly drain: number;
}

/** What it says when it is done, one line of JSON. */
export interface Report {
  readonly emitted: { readonly critical: number; readonly normal: number };
  /** Seconds that emitting really took. */
  readonly took: number;
  /** The kernel's figure, bytes. */
  readonly peakRss: number;
  /** Milliseconds by which a timer came late while emitting: 99th percentile. */
  readonly lag: number;
  /** Lost by its own account; null where it keeps none. */
  readonly lost: Readonly<Record<string, number>> | null;
}

const POLICY = { policy_id: 'bench', version: 1, digest: `sha256:${'0'.repeat(64)}`, generation: 1 } as const;
const SANDBOX = { sandbox_id: 'b0c1d2e3f4a5', name: 'bench', container_id: 'c'.repeat(64) } as const;

/** The report in a process's output. */
export function parseReport(output: string): Report {
  const parsed: Report = JSON.parse(output);
  return parsed;
}

/** An event of usual size: an exec as the kernel sensor sees it, every hundredth a violation. */
export function event(n: number): NewEvent {
  const body = {
    path: '/usr/local/bin/node',
    argv: ['node', '/app/server.js', '--port', '8080', `--request=${n}`],
    pid: 4000 + (n % 30_000),
    ppid: 1,
    origin: 'image',
  };
  const common = { domain: 'exec', scope: 'kernel_sensor', body, sandbox: SANDBOX, policy: POLICY } as const;
  if (n % 100 !== 0) return { ...common, name: 'process_exec', severity: 'INFO' };
  const violation = {
    rule: '/exec/deny_list/3',
    mode: 'observe',
    action: 'allowed',
    message: 'denied by **/node',
  } as const;
  return { ...common, name: 'exec_violation', severity: 'WARN', violation };
}
