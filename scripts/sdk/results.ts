import { join } from 'node:path';

import type { JsonObject } from '../../src/core/json.ts';
import type { Collector } from '../../test/e2e/js-sensor/helpers/collector.ts';
import { writePolicy } from '../../test/e2e/js-sensor/helpers/policy.ts';
import { PRELOAD } from '../../test/e2e/js-sensor/helpers/run.ts';

/** How each test ended, by its name. */
export type Results = ReadonlyMap<string, string>;

/** One run of a suite: where its sensor reports to, and with which policy; without one there is no sensor. */
export interface Way {
  readonly collector: Collector;
  readonly policy: JsonObject | undefined;
}

/** What programs need in their environment to get the sensor, whoever starts them. */
export function environment({ collector, policy }: Way): Record<string, string> {
  if (policy === undefined) return {};
  const file = join(collector.directory, 'policy.json');
  writePolicy(file, policy);
  return { UCP_POLICY_FILE: file, UCP_SENSOR_SOCKET: collector.socket, NODE_OPTIONS: `--require ${PRELOAD}` };
}

/** Results by name; a name that comes again gets a number. */
export class ResultList {
  readonly results = new Map<string, string>();

  add(name: string, status: string): void {
    let key = name;
    for (let count = 2; this.results.has(key); count++) key = `${name} #${count}`;
    this.results.set(key, status);
  }
}

/** One line for each test that did not end the same. */
export function differences(plain: Results, watched: Results): readonly string[] {
  return [...new Set([...plain.keys(), ...watched.keys()])]
    .filter((test) => plain.get(test) !== watched.get(test))
    .map((test) => `${test}: ${plain.get(test) ?? 'absent'} without, ${watched.get(test) ?? 'absent'} with`);
}
