import type { Sensor } from '../sensor.ts';
import { guarded } from '../wrap.ts';

/** Emits an event unless a package's module is the caller. */
export function tellCode(sensor: Sensor, what: string): void {
  if (!sensor.settings().runtime.code) return;
  guarded(
    (error) => sensor.report('code', error),
    () => {
      const caller = callerOf();
      if (caller === undefined || caller.includes('/node_modules/')) return;
      sensor.events.emit({
        name: 'code_from_string',
        domain: 'runtime',
        body: { by: what, caller },
        attributes: sensor.attribution.attributes(),
      });
    },
  );
}

/** File and line of the program's frame that called; `undefined` for Node's own modules. */
function callerOf(): string | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 12;
  const { stack = '' } = new Error('caller');
  Error.stackTraceLimit = limit;
  const frames = stack.split('\n').slice(1);
  const ours = /\bpreload\.cjs\b|sensors\/js\/src\//;
  const outside = frames.find((frame) => !ours.test(frame) && !frame.includes('<anonymous>'));
  if (outside === undefined || outside.includes('node:')) return undefined;
  return /\(?((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(outside)?.[1];
}
