import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { build } from 'esbuild';

import { startOtlpReceiver } from '../test/fakes/otlp-receiver.ts';
import { parseReport, type Load, type Report } from './events/load.ts';
import { Tally } from './events/tally.ts';
import { machine } from './lib/machine.ts';
import { goal, table } from './lib/table.ts';

const MiB = 2 ** 20;

/** Both run as a control plane on demand is started (src/sandbox/client/start-control-plane.ts). */
const FLAGS = [
  '--max-semi-space-size=1',
  '--heap-growing-percent=50',
  '--single-threaded-gc',
  '--v8-pool-size=0',
] as const;

interface Run {
  readonly name: string;
  readonly report: Report;
  readonly tally: Tally;
}

/** How the receiver behaves, with the seconds since the start and whether everything was emitted. */
type Weather = (seconds: number, emitted: boolean) => Promise<{ readonly status: number } | undefined>;

/**
 * Events into a receiver that is slower than they come, and through an outage; beside it OpenTelemetry's own batch
 * processor under the same load. `--seconds` (60) and `--rate` (10000) are the sustained load, `--outage` (120000)
 * the events during the outage: ten minutes of 200 a second, compressed.
 */
export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      rate: { type: 'string', default: '10000' },
      outage: { type: 'string', default: '120000' },
    },
  });
  const [rate, seconds, outage] = [Number(values.rate), Number(values.seconds), Number(values.outage)];
  console.log(machine());

  const sustained = { rate, seconds, drain: 120 };
  const rows: Run[] = [
    await measure('sustained, UCP', { ...sustained, subject: 'ucp' }, slow),
    await measure('sustained, OpenTelemetry', { ...sustained, subject: 'opentelemetry' }, slow),
  ];
  const compressed = { rate, seconds: outage / rate, drain: 120 };
  // Down until everything was emitted and fifteen seconds more: longer than the exporter of OpenTelemetry tries.
  const downUntil = outage / rate + 15;
  const down: Weather = async (now) => (now < downUntil ? { status: 503 } : undefined);
  rows.push(
    await measure('outage, UCP', { ...compressed, subject: 'ucp' }, down),
    await measure('outage, OpenTelemetry', { ...compressed, subject: 'opentelemetry' }, down),
  );
  console.log(table(HEADER, rows.map(row)));

  const ours = rows.filter(({ name }) => name.endsWith('UCP'));
  const [first] = ours;
  if (first === undefined) return false;
  return [
    goal('resident memory, sustained', first.report.peakRss / MiB, 150, 'MiB'),
    goal('time to emit, against the time given', first.report.took / seconds, 1.02),
    ...ours.map(({ name, report, tally }) =>
      goal(`critical events lost (${name})`, report.emitted.critical - tally.unique.critical, 0, 'events'),
    ),
    ...ours.map(({ name, tally }) => goal(`out of order (${name})`, tally.disordered, 0, 'events')),
    ...ours.map(({ name, report, tally }) =>
      goal(`lost but not reported (${name})`, Math.abs(missing({ name, report, tally }) - tally.reported), 0, 'events'),
    ),
  ].every(Boolean);
}

/** A request of 512 takes 200 ms, a quarter of what comes, for as long as more comes. */
const slow: Weather = async (_, emitted) => {
  if (!emitted) await sleep(200);
  return undefined;
};

const HEADER = [
  '',
  'emitted',
  'arrived',
  'critical lost',
  'others lost',
  'reported as lost',
  'duplicates',
  'out of order',
  'peak RSS MiB',
  'timer p99 ms',
];

function row({ name, report, tally }: Run): (string | number)[] {
  const { critical, normal } = report.emitted;
  return [
    name,
    critical + normal,
    tally.unique.critical + tally.unique.normal,
    critical - tally.unique.critical,
    normal - tally.unique.normal,
    report.lost === null ? 'nothing' : String(tally.reported),
    tally.duplicates,
    tally.disordered,
    Math.round(report.peakRss / MiB),
    Math.round(report.lag * 10) / 10,
  ];
}

function missing({ report, tally }: Run): number {
  return report.emitted.critical + report.emitted.normal - tally.unique.critical - tally.unique.normal;
}

async function measure(name: string, load: Omit<Load, 'url' | 'stateDir'>, weather: Weather): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-bench-events-'));
  const [stateDir, program] = [join(dir, 'state'), await bundled(dir)];
  const receiver = await startOtlpReceiver();
  const tally = new Tally();
  let emitted = false;
  let start = performance.now();
  receiver.decide(async ({ records }) => {
    const fault = await weather((performance.now() - start) / 1000, emitted);
    if (fault === undefined) for (const record of records) tally.add(record);
    receiver.clear();
    return fault;
  });
  try {
    const child = spawn(
      process.execPath,
      [
        ...FLAGS,
        program,
        load.subject,
        receiver.url,
        stateDir,
        String(load.rate),
        String(load.seconds),
        String(load.drain),
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, MALLOC_ARENA_MAX: '1' } },
    );
    start = performance.now();
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('emitted\n')) emitted = true;
      else process.stderr.write(chunk);
    });
    let output = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) output += chunk.toString();
    return { name, report: parseReport(output), tally };
  } finally {
    await receiver.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The emitting process as it is shipped: one bundle, no type stripping at run time. */
async function bundled(dir: string): Promise<string> {
  await build({
    entryPoints: [join(import.meta.dirname, 'events/emitter.ts')],
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.15',
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
  });
  return join(dir, 'emitter.mjs');
}
