/**
 * A program that emits critical events as fast as they become durable, saying each number on stdout once it is: what
 * tests kill at any moment. Arguments: state directory, event_url.
 */
import { openTelemetry } from '../index.ts';
import { critical, normal } from './scene.ts';

const [stateDir = '', eventUrl = ''] = process.argv.slice(2);
const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms: number, fn: () => void) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};
const telemetry = openTelemetry({ stateDir, eventUrl, clock });
for (let n = 1; ; n++) {
  telemetry.emit(critical(n));
  telemetry.emit(normal(n));
  if (await telemetry.durable()) process.stdout.write(`${n}\n`);
}
