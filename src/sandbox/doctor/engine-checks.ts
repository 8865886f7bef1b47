import type { EngineFacts } from '../../engine/engine.ts';
import { type Check, compareVersions, ok } from './check.ts';

/** Versions with a known way out of a container: below `fixed` of their line. Sources: the advisories of each project. */
const HOLES: readonly { readonly component: string; readonly fixed: readonly string[]; readonly advisory: string }[] = [
  { component: 'runc', fixed: ['1.1.12'], advisory: 'CVE-2024-21626' },
  { component: 'runc', fixed: ['1.2.8', '1.3.3'], advisory: 'CVE-2025-31133, CVE-2025-52565, CVE-2025-52881' },
  { component: 'containerd', fixed: ['1.6.38', '1.7.27', '2.0.4'], advisory: 'CVE-2024-40635' },
];

/** What the engine says of itself, judged. `components` are its parts and their versions. */
export function engineChecks(facts: EngineFacts, components: Readonly<Record<string, string>>): readonly Check[] {
  const { version, apiVersion, cgroupVersion, securityOptions, rootless } = facts;
  const seccomp = securityOptions.some((option) => option.includes('seccomp'));
  return [
    ok('engine', `Docker Engine ${version}, API ${apiVersion}${rootless ? ', rootless' : ''}`),
    ...Object.entries(components).flatMap(([name, found]) => holes(name, found)),
    seccomp
      ? ok('seccomp', 'the engine filters system calls')
      : { id: 'seccomp', state: 'fail', reason: 'the engine was built or started without seccomp', fix: 'Use an engine with seccomp: without it system calls are not filtered.' }, // prettier-ignore
    cgroupVersion === '2'
      ? ok('cgroups', 'version 2')
      : { id: 'cgroups', state: 'warn', reason: 'version 1: limits hold, but the kernel no longer develops it', fix: 'Boot with systemd.unified_cgroup_hierarchy=1.' }, // prettier-ignore
  ];
}

function holes(component: string, version: string): readonly Check[] {
  const known = HOLES.filter((hole) => hole.component === component);
  const open = known.filter(({ fixed }) => isBelow(version, fixed));
  if (known.length === 0) return [];
  if (open.length === 0) return [ok(component, version)];
  const advisories = open.map(({ advisory }) => advisory).join(', ');
  const target = open.at(-1)?.fixed.at(-1) ?? '';
  return [
    {
      id: component,
      state: 'warn',
      reason: `${version} is below the release that closes ${advisories}, unless your distribution has mended it`,
      fix: `Upgrade ${component} to ${target} or newer, or see your distribution's advisory.`,
    },
  ];
}

/** `1.2` of `1.2.3`. */
function line(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** `fixed` has the first good release of each line: one of another line is judged by the lowest or the highest. */
function isBelow(version: string, fixed: readonly string[]): boolean {
  const same = fixed.find((good) => line(good) === line(version));
  if (same !== undefined) return compareVersions(version, same) < 0;
  return compareVersions(version, fixed.at(-1) ?? '0') < 0;
}
