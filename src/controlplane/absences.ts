import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Install } from './install.ts';
import type { Absences } from './prepare/controls.ts';
import type { SensorBundles } from './prepare/plan.ts';
import type { SandboxControl } from './sandboxes/control.ts';

const NODE_PRELOAD = 'js/preload.cjs';
const PYTHON_PATH = 'python';

/** The app sensors that this installation has. */
export function findBundles({ sensors }: Install): SensorBundles {
  return {
    ...(existsSync(join(sensors, NODE_PRELOAD)) ? { node: NODE_PRELOAD } : {}),
    ...(existsSync(join(sensors, PYTHON_PATH)) ? { python: PYTHON_PATH } : {}),
  };
}

/** What can't be put in force here, with the reason that messages give. */
export function findAbsences(bundles: SensorBundles, controls: readonly SandboxControl[]): Absences {
  const javascript = bundles.node === undefined ? 'the JavaScript sensor is not installed' : undefined;
  const python = bundles.python === undefined ? 'the Python sensor is not installed' : undefined;
  const either =
    bundles.node === undefined && bundles.python === undefined ? 'no sensor of an application is installed' : undefined;
  const applied = (name: string): string | undefined => {
    const control = controls.find((control) => control.name === name);
    return control === undefined ? 'this version has no sensor for it' : control.absence;
  };
  return {
    js_sensor: javascript,
    python_sensor: python,
    langchain: python,
    crewai: python,
    a2a: python,
    // Both sensors see model calls.
    llm: either,
    // In force in the front end of every run that says what it speaks; see runAbsences.
    gateway: undefined,
    'gateway.client':
      'at the boundary of a server there is no client; write these rules for js_sensor or python_sensor',
    // What is known now: these depend on the host, and are looked at when they are asked for.
    get exec() {
      return applied('exec');
    },
    get network() {
      return applied('network');
    },
  };
}
