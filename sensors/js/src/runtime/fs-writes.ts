/**
 * Tells of files opened for writing, when policy asks for it (`runtime.fs`).
 *
 * Since: all supported Nodes.
 * Can't see: writes through a descriptor that was opened elsewhere, addons, `fs.open` for writing followed by
 * `fs.write` (only whole-file functions and write streams are told).
 */
import fs from 'node:fs';

import { redactName } from '../events/redact.ts';
import type { Sensor } from '../sensor.ts';
import { wrap } from '../wrap.ts';

const FUNCTIONS = ['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'createWriteStream'] as const;

export function installFsWrites(sensor: Sensor): void {
  for (const name of FUNCTIONS) wrap(fs, name, (original) => told(sensor, name, original));
  for (const name of ['writeFile', 'appendFile']) {
    wrap(fs.promises, name, (original) => told(sensor, `promises.${name}`, original));
  }
}

/** `appendFileSync` calls `writeFileSync`: one write, one event. */
let inside = false;

function told(sensor: Sensor, name: string, original: (this: unknown, ...args: unknown[]) => unknown) {
  return function (this: unknown, ...args: unknown[]) {
    if (inside || !sensor.settings().runtime.fs) return original.apply(this, args);
    inside = true;
    try {
      tell(sensor, name, args[0]);
      return original.apply(this, args);
    } finally {
      inside = false;
    }
  };
}

function tell(sensor: Sensor, by: string, file: unknown): void {
  if (typeof file === 'number' || (typeof file === 'object' && file !== null && !(file instanceof URL))) return;
  sensor.events.emit({
    name: 'file_write',
    domain: 'runtime',
    body: { by },
    attributes: {
      'file.path': redactName(file instanceof URL ? file.pathname : String(file)),
      ...sensor.attribution.attributes(),
    },
  });
}
