import { UcpError } from '../core/errors.ts';
import type { EngineFacts, EngineVersion } from './engine.ts';

/** Engine 20.10, see DESIGN §13. */
const MIN_API = [1, 41] as const;

/** Throws ENGINE_TOO_OLD for an API below 1.41. */
export function assertApiVersion(apiVersion: string, version: string, endpoint: string): void {
  if (atLeast(apiVersion, MIN_API)) return;
  throw new UcpError(
    'ENGINE_TOO_OLD',
    `The Docker engine at ${endpoint} is ${version} (API ${apiVersion}); UCP needs 20.10 (API 1.41) or newer: upgrade it.`,
  );
}

/** From here on the engine can make a bind and all mounts below it read-only, on a kernel with mount_setattr(2). */
const RECURSIVE_READ_ONLY = { api: [1, 44], kernel: [5, 12] } as const;

/** What the engine's answer to `/version` says about it. */
export function engineVersion(version: {
  readonly ApiVersion: string;
  readonly KernelVersion?: string;
}): EngineVersion {
  const { api, kernel } = RECURSIVE_READ_ONLY;
  return {
    apiVersion: version.ApiVersion,
    recursiveReadOnly: atLeast(version.ApiVersion, api) && atLeast(version.KernelVersion ?? '', kernel),
  };
}

function atLeast(version: string, [wantedMajor, wantedMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

interface VersionAnswer {
  readonly Version: string;
  readonly ApiVersion: string;
}

interface InfoAnswer {
  readonly CgroupVersion?: string;
  readonly SecurityOptions?: readonly string[];
  readonly NCPU: number;
  readonly MemTotal: number;
  readonly DockerRootDir: string;
}

/** The facts in the engine's answers to `/version` and `/info`. */
export function engineFacts(version: VersionAnswer, info: InfoAnswer): EngineFacts {
  const securityOptions = info.SecurityOptions ?? [];
  return {
    version: version.Version,
    apiVersion: version.ApiVersion,
    cgroupVersion: info.CgroupVersion === '2' ? '2' : '1',
    securityOptions,
    rootless: securityOptions.includes('name=rootless'),
    cpus: info.NCPU,
    memory: info.MemTotal,
    rootDir: info.DockerRootDir,
  };
}
