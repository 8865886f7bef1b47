import { SENSORS_DIR } from '../../../../src/core/plan.ts';
import { SENSOR_ENV } from '../../../../src/core/sensor-protocol.ts';
import type { Places } from '../places.ts';

/** What a child process needs in its environment to be watched like its parent. */
export interface Injection {
  /** Absolute path of the preload file. */
  readonly preload: string;
  /** `UCP_*` of this process, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Directory of the Python sensor on this process's PYTHONPATH, if there is one. */
  readonly python: string | undefined;
}

/** What `env` of this process says about its sensors; a child may not find the `places` that this process found. */
export function injectionOf(
  env: Readonly<Record<string, string | undefined>>,
  preload: string,
  places: Pick<Places, 'policyFile' | 'socket'>,
): Injection {
  const variables: Record<string, string> = {};
  for (const name of Object.values(SENSOR_ENV)) {
    const value = env[name];
    if (value !== undefined) variables[name] = value;
  }
  variables[SENSOR_ENV.policyFile] = places.policyFile;
  if (places.socket !== undefined) variables[SENSOR_ENV.socket] = places.socket;
  const python = env['PYTHONPATH']?.split(':').find((entry) => entry.startsWith(SENSORS_DIR));
  return { preload, variables, python };
}

/**
 * `options` of NODE_OPTIONS with the preload first. Anywhere else it may be the value of another option, or come after what
 * another option has loaded: Node runs every `--require` before every `--import`, in the order of the variable, then of
 * the command line.
 */
export function withPreload(options: string | undefined, preload: string): string {
  const path = /[\s"\\]/.test(preload) ? `"${preload.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"` : preload;
  const ours = `--require ${path}`;
  if (options === undefined || options === '') return ours;
  return options === ours || options.startsWith(`${ours} `) ? options : `${ours} ${options}`;
}

/** `value` of PYTHONPATH with the Python sensor first. */
function withPython(value: string | undefined, directory: string): string {
  if (value === undefined || value === '') return directory;
  return value.split(':').includes(directory) ? value : `${directory}:${value}`;
}

/**
 * The variables to set in a child's environment, whatever the program gave it: the SDKs pass only HOME, LOGNAME,
 * PATH, SHELL, TERM and USER to stdio servers. A program's own NODE_OPTIONS stays, behind ours.
 */
export function injected(get: (name: string) => string | undefined, injection: Injection): Record<string, string> {
  return {
    ...injection.variables,
    NODE_OPTIONS: withPreload(get('NODE_OPTIONS'), injection.preload),
    ...(injection.python === undefined ? {} : { PYTHONPATH: withPython(get('PYTHONPATH'), injection.python) }),
  };
}

/** The same for `K=V` pairs, as libuv takes them; edits `pairs`. */
export function injectPairs(pairs: string[], injection: Injection): void {
  const at = (name: string): number => pairs.findIndex((pair) => pair.startsWith(`${name}=`));
  const get = (name: string): string | undefined => pairs[at(name)]?.slice(name.length + 1);
  for (const [name, value] of Object.entries(injected(get, injection))) {
    const index = at(name);
    if (index === -1) pairs.push(`${name}=${value}`);
    else pairs[index] = `${name}=${value}`;
  }
}
