/** MFD_NOEXEC_SEAL: the file can never be executed. */
const NOEXEC_SEAL = 8;

/**
 * The seccomp profile for a sandbox whose exec rules are enforced: a file in memory has no path and is on no file system
 * that the kernel could ask us about, so none is made that could be executed (EX-06).
 */
export function withoutMemoryPrograms(profile: string): string {
  const parsed: { syscalls: { names: string[] }[] } = JSON.parse(profile);
  const syscalls = parsed.syscalls.map((rule) => ({
    ...rule,
    names: rule.names.filter((name) => name !== 'memfd_create'),
  }));
  const sealed = { index: 1, value: NOEXEC_SEAL, valueTwo: NOEXEC_SEAL, op: 'SCMP_CMP_MASKED_EQ' };
  return JSON.stringify({
    ...parsed,
    syscalls: [...syscalls, { names: ['memfd_create'], action: 'SCMP_ACT_ALLOW', args: [sealed] }],
  });
}
