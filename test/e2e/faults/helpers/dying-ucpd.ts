import { homedir } from 'node:os';

import {
  loadConfig,
  openStateDir,
  startDaemon,
  systemClock,
  takeInstanceLock,
} from '../../../../src/controlplane/index.ts';
import { userPaths } from '../../../../src/core/paths.ts';
import { silentLogger } from '../../../../src/core/ports.ts';
import { createEngine } from '../../../../src/engine/docker-engine.ts';
import { openTelemetry } from '../../../../src/telemetry/index.ts';
import { Fate } from './die-at.ts';

/**
 * A control plane on demand, composed as `ucpd run` does, that dies at the point its argument names. SIGUSR2 arms it:
 * when every critical event so far is durable, that is acknowledged, it says `armed`.
 */
const fate = new Fate(process.argv[2] ?? '');
fate.watch();
const paths = userPaths(process.env, homedir());
const owner = openStateDir(paths.stateDir);
const lock = await takeInstanceLock(owner);
if (lock === undefined) process.exit(3);
const access = { copy: `${paths.stateDir}/config.yaml`, endpoint: undefined, clock: systemClock, logger: silentLogger };
const config = await loadConfig(paths.config, true, access);
const eventUrl = config.config.event_url;
const telemetry = openTelemetry({
  stateDir: paths.stateDir,
  clock: systemClock,
  ...(eventUrl === undefined ? {} : { eventUrl }),
});
await startDaemon({
  paths,
  owner,
  onDemand: true,
  idleMs: 600_000,
  socketGroup: undefined,
  config,
  readConfig: async () => config,
  engine: createEngine(process.env, homedir()),
  telemetry: {
    ...bound(telemetry),
    emit: (event) => {
      const { action } = event.body;
      fate.around(`event ${typeof action === 'string' ? action : event.name}`, () => telemetry.emit(event));
    },
  },
  clock: systemClock,
  logger: silentLogger,
});
async function arm(): Promise<void> {
  const durable = await telemetry.durable();
  if (durable) fate.arm();
  process.stdout.write(durable ? 'armed\n' : 'not durable\n');
}
process.on('SIGUSR2', () => void arm());
process.stdout.write('serving\n');

function bound(of: typeof telemetry): Omit<typeof telemetry, 'emit'> {
  return {
    counters: () => of.counters(),
    setTarget: (target) => of.setTarget(target),
    durable: () => of.durable(),
    flush: (ms) => of.flush(ms),
    close: (ms) => of.close(ms),
  };
}
