import type { SensorPolicyFile } from '../../../src/core/sensor-protocol.ts';
import { Channel } from './events/channel.ts';
import { EventIds } from './events/ids.ts';
import { redactSecrets } from './events/redact.ts';
import { EventWriter } from './events/writer.ts';
import type { Injection } from './inject/child-env.ts';
import { installHooks } from './hooks.ts';
import type { Places } from './places.ts';
import { deciderOf } from './policy/decide.ts';
import type { Decider } from './policy/decider.ts';
import { NOTHING, settingsOf, type Settings } from './policy/settings.ts';
import { PolicySource } from './policy/source.ts';
import { Attribution } from './runtime/attribution.ts';
import { platformOf } from './runtime/platform.ts';
import { isWorker } from './runtime/thread.ts';
import type { Sensor } from './sensor.ts';

/** Taken before a program can put a clock of its own in its place. */
const now = Date.now;

/** The policy file in force and what was made of it. */
interface InForce {
  readonly file: SensorPolicyFile;
  readonly decider: Decider;
  readonly settings: Settings;
}

/** How the sensor was loaded. */
interface Loaded {
  /** Absolute path of the preload file. */
  readonly preload: string;
  /** Whether a program without policy must not run. */
  readonly required: boolean;
  /** What the children of the thread that made this one get. */
  readonly inherited: Injection | undefined;
}

/** Starts the sensor in this thread, or says why a required one can't. */
export function start(places: Places, { preload, required, inherited }: Loaded): string | undefined {
  const bad: string[] = [];
  const source = new PolicySource(places.policyFile, (reason) => bad.push(reason));
  if (source.current === undefined && required) return `${places.policyFile}: ${bad[0] ?? 'the file cannot be read'}`;
  run(places, source, { preload, inherited, bad });
  return undefined;
}

/** What {@link run} is told besides places and policy. */
interface Startup extends Pick<Loaded, 'preload' | 'inherited'> {
  /** Why policy files were not taken, oldest first; the source adds to it. */
  readonly bad: string[];
}

function run(places: Places, source: PolicySource, { preload, inherited, bad }: Startup): void {
  let inForce: InForce | undefined;
  let look: (() => void) | undefined;
  const writer = new EventWriter({
    ids: new EventIds(process.pid),
    generation: () => inForce?.file.generation ?? 0,
    now,
    pid: places.mode === 'host' ? process.pid : undefined,
    open: (on) =>
      places.socket === undefined ? undefined : new Channel(places.socket, { ...on, hint: () => look?.() }),
  });
  const sensor: Sensor = {
    events: writer,
    attribution: new Attribution(),
    decider: () => inForce?.decider,
    settings: () => inForce?.settings ?? NOTHING,
    policyId: () => inForce?.file.policy_id ?? '',
    report: (where, error) => {
      writer.emit({
        name: 'sensor_error',
        domain: 'runtime',
        severity: 'ERROR',
        body: { where, error: redactSecrets(String(error)) },
      });
    },
  };
  const apply = (file: SensorPolicyFile): void => {
    try {
      inForce = { file, decider: deciderOf(file), settings: settingsOf(file.policy) };
    } catch (error) {
      sensor.report('policy', error);
    }
  };
  if (source.current !== undefined) apply(source.current);
  const hooks = installHooks(sensor, { preload, places, inherited });
  look = source.watch((file) => {
    apply(file);
    hooks.policyChanged();
  });
  for (const reason of bad) sensor.report('policy', reason);
  bad.push = (...reasons) => reasons.map((reason) => sensor.report('policy', reason)).length;
  announce(sensor, places);
  process.on('exit', () => writer.flush());
}

function announce(sensor: Sensor, places: Places): void {
  const platform = platformOf(process.versions);
  sensor.events.emit({
    name: 'sensor_started',
    domain: 'runtime',
    body: {
      mode: places.mode,
      runtime: platform,
      version: process.version,
      pid: process.pid,
      main_thread: !isWorker(),
      program: process.argv[1] ?? '',
    },
  });
  if (platform === 'bun' || platform === 'deno') {
    const reason = `${platform} loads modules past Node's hooks: MCP traffic of this program is not seen or controlled.`;
    sensor.events.emit({
      name: 'sensor_degraded',
      domain: 'runtime',
      severity: 'WARN',
      body: { control: 'mcp', reason },
    });
  }
}
