const GIB = 1024 ** 3;

/** What a host has. */
export interface HostSize {
  /** Bytes. */
  readonly memory: number;
  readonly cpus: number;
}

/**
 * What a sandbox gets where neither policy nor flags say anything: enough for an agent and its servers, and never so
 * much that one sandbox takes the host with it. Processes: a Node program has about 12 threads, a browser hundreds.
 */
export function defaultLimits(host: HostSize): { memory: number; cpus: number; pids: number } {
  return { memory: Math.min(2 * GIB, Math.floor(host.memory / 2)), cpus: host.cpus, pids: 512 };
}
