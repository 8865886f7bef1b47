import type { ContainerInfo, ContainerInspectInfo } from 'dockerode';

import type { ContainerFacts } from './engine.ts';

/** The facts in the engine's answer to an inspection. */
export function containerFacts(info: ContainerInspectInfo): ContainerFacts {
  return {
    id: info.Id,
    name: info.Name.replace(/^\//, ''),
    labels: info.Config.Labels ?? {},
    image: info.Config.Image,
    state: stateOf(info.State.Status),
    pid: info.State.Pid,
    exitCode: info.State.ExitCode,
  };
}

/** The facts in one row of the engine's list, which has no pid, and the exit code only in words. */
export function listedFacts(info: ContainerInfo): ContainerFacts {
  return {
    id: info.Id,
    name: (info.Names[0] ?? '').replace(/^\//, ''),
    labels: info.Labels ?? {},
    image: info.Image,
    state: stateOf(info.State),
    pid: 0,
    exitCode: Number(/^Exited \((\d+)\)/.exec(info.Status)?.[1] ?? 0),
  };
}

const STATES = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] as const;

/** A state that this version does not know is not running: `dead`. */
function stateOf(word: string): ContainerFacts['state'] {
  return STATES.find((state) => state === word) ?? 'dead';
}
