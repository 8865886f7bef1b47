/**
 * Shows that the real OpenTelemetry Collector takes our records and passes them on unchanged: builds one from its core
 * modules in a temporary directory, starts it with the configuration that docs/operate.md recommends, sends events through
 * it, and compares what it forwards. Needs Go; takes a minute.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

import { execa } from 'execa';

import { systemClock } from '../src/controlplane/clock.ts';
import type { NewEvent } from '../src/core/events.ts';
import { openTelemetry } from '../src/telemetry/index.ts';
import { freePort } from '../test/e2e/helpers/free-port.ts';
import type { ReceivedRecord } from '../test/fakes/otlp-receiver-decode.ts';
import { startOtlpReceiver } from '../test/fakes/otlp-receiver.ts';

const COLLECTOR = '0.155.0';
const MODULES = 'go.opentelemetry.io/collector';

const POLICY = { policy_id: 'interop', version: 3, digest: 'sha256:00', generation: 2 } as const;
const EVENTS: readonly NewEvent[] = [
  {
    name: 'policy_lifecycle',
    domain: 'pcm',
    severity: 'INFO',
    scope: 'policy_control_manager',
    body: { action: 'policy_download_attempt', delay: 300, error: null, startup_state: 'ColdStartup' },
  },
  {
    name: 'mcp_violation',
    domain: 'mcp',
    severity: 'ERROR',
    scope: 'js_sensor',
    body: { side: 'server', list: [1, 'two', { three: 3.5 }], empty: {}, text: 'ünï ✓' },
    attributes: { 'gen_ai.tool.name': 'write_file' },
    sandbox: { sandbox_id: 's1', name: 'files', container_id: 'c1' },
    policy: POLICY,
    violation: { rule: '/js_sensor/mcp', mode: 'enforce', action: 'blocked', message: 'denied' },
  },
  {
    name: 'mcp_tool_call',
    domain: 'mcp',
    severity: 'WARN',
    scope: 'js_sensor',
    body: { side: 'client' },
    policy: POLICY,
  },
];

async function main(): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'ucp-interop-'));
  const [direct, behind] = [await startOtlpReceiver(), await startOtlpReceiver()];
  const port = await freePort();
  console.log(`Building the Collector ${COLLECTOR} from its core modules …`);
  const program = await buildCollector(dir);
  writeFileSync(join(dir, 'config.yaml'), collectorConfig(port, behind.url));
  const collector = execa(program, ['--config', join(dir, 'config.yaml')], { reject: false, all: true });
  try {
    for (const [url, stateDir] of [
      [direct.url, 'direct'],
      [`http://127.0.0.1:${port}`, 'collector'],
    ] as const) {
      const telemetry = openTelemetry({ stateDir: join(dir, stateDir), eventUrl: url, clock: systemClock });
      for (const event of EVENTS) telemetry.emit({ ...event, time: Date.UTC(2026, 0, 1) });
      const sent = await telemetry.flush(60_000);
      await telemetry.close(1000);
      if (!sent) throw new Error(`not delivered to ${url}: ${telemetry.counters().export.last_error ?? ''}`);
    }
    for (let k = 0; k < 100 && behind.records().length < EVENTS.length; k++) await sleep(100);
    return compare(direct.records(), behind.records());
  } finally {
    collector.kill();
    await collector;
    await Promise.all([direct.close(), behind.close()]);
    rmSync(dir, { recursive: true, force: true });
  }
}

async function buildCollector(dir: string): Promise<string> {
  writeFileSync(
    join(dir, 'builder.yaml'),
    `dist: { name: otelcol, output_path: ./out }
receivers:
  - gomod: ${MODULES}/receiver/otlpreceiver v${COLLECTOR}
exporters:
  - gomod: ${MODULES}/exporter/otlphttpexporter v${COLLECTOR}
`,
  );
  const builder = `${MODULES}/cmd/builder@v${COLLECTOR}`;
  await execa('go', ['run', builder, '--config', 'builder.yaml'], { cwd: dir, stdio: 'inherit' });
  return join(dir, 'out/otelcol');
}

/** The recipe of the documentation with addresses of this run, and without the port for the Collector's own metrics. */
function collectorConfig(port: number, forwardTo: string): string {
  const manual = readFileSync(join(import.meta.dirname, '../docs/operate.md'), 'utf8');
  const recipe = /### OpenTelemetry Collector\n.*?```yaml\n(.*?)```/s.exec(manual)?.[1];
  if (recipe === undefined) throw new Error('docs/operate.md has no recipe for the Collector');
  const addressed = recipe.replace('127.0.0.1:4318', `127.0.0.1:${port}`).replace('https://backend.example', forwardTo);
  return addressed.replace('service:\n', 'service:\n  telemetry: { metrics: { level: none } }\n');
}

/** True when the records that came through the Collector are those that came without it. */
function compare(direct: readonly ReceivedRecord[], behind: readonly ReceivedRecord[]): boolean {
  const plain = direct.map(withoutRun);
  const forwarded = behind.map(withoutRun);
  console.log(JSON.stringify(behind[1], undefined, 2));
  const same = plain.length === EVENTS.length && isDeepStrictEqual(forwarded, plain);
  console.log(
    same
      ? `ok: ${plain.length} records came through the Collector ${COLLECTOR} exactly as they were sent`
      : `MISS: sent ${JSON.stringify(plain)}, forwarded ${JSON.stringify(forwarded)}`,
  );
  return same;
}

const OF_THE_RUN: ReadonlySet<string> = new Set(['ucp.boot', 'service.instance.id', 'log.record.uid']);

/** The record without what differs between two starts: time of emission, and ids. */
function withoutRun(record: ReceivedRecord): unknown {
  return { ...record, observed: 0, attributes: kept(record.attributes), resource: kept(record.resource) };
}

function kept(map: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !OF_THE_RUN.has(key)));
}

process.exitCode = (await main()) ? 0 : 1;
