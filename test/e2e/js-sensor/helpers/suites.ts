import { join } from 'node:path';

import type { JsonObject } from '../../../../src/core/json.ts';
import type { Collector } from './collector.ts';
import { writePolicy } from './policy.ts';
import { PRELOAD } from './run.ts';

const PATTERN: JsonObject = { deny: [{ name: 'none', regex: 'ucp denied' }] };

/** Rules of every kind that nothing breaks which a suite does. */
const RULES: JsonObject = {
  tools: { '*': { deny_list: ['ucp-denied'], arguments: PATTERN, responses: PATTERN } },
  resources: { '*': { deny_list: ['ucp:denied'] } },
  prompts: { '*': { deny_list: ['ucp-denied'] } },
  methods: { '*': { deny_list: ['ucp/denied'] } },
};

/** What suites are run under besides nothing: each of their tests must end the same. */
export const POLICIES: Readonly<Record<'observing' | 'enforcing', JsonObject>> = {
  observing: { js_sensor: { remediate: false, mcp: { client: {}, server: {} } }, llm: {} },
  enforcing: { js_sensor: { remediate: true, mcp: { client: RULES, server: RULES } }, llm: {} },
};

/** How each test ended, by its name. */
export type Results = ReadonlyMap<string, string>;

/** One run of a suite: where its sensor reports to, and with which policy; without one there is no sensor. */
export interface Way {
  readonly collector: Collector;
  readonly policy: JsonObject | undefined;
}

/** Node's flags that bring the sensor into one program. */
export function sensorFlags({ policy }: Way): readonly string[] {
  return policy === undefined ? [] : ['--require', PRELOAD];
}

/** Where a program's sensor finds its policy and its control plane. */
export function sensorVariables({ collector, policy }: Way): Record<string, string> {
  if (policy === undefined) return {};
  const file = join(collector.directory, 'policy.json');
  writePolicy(file, policy);
  return { UCP_POLICY_FILE: file, UCP_SENSOR_SOCKET: collector.socket };
}

/** Runs one suite in one way. */
export type Suite = (way: Way) => Promise<Results>;

/** What programs need in their environment to get the sensor, whoever starts them. */
export function environment(way: Way): Record<string, string> {
  const flags = sensorFlags(way);
  return { ...sensorVariables(way), ...(flags.length === 0 ? {} : { NODE_OPTIONS: flags.join(' ') }) };
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
