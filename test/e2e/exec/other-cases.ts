import { type Attack, IDENTITY, SECCOMP } from './attack.ts';

/** Cases that are more than a script in a sandbox: each has a test of its own, which names it. */
export const OTHER_CASES: readonly Omit<Attack, 'script'>[] = [
  {
    id: 'EX-09',
    what: 'a program of a `binfmt_misc` handler of the host, whose interpreter is denied',
    enforced: 'stopped',
    observed: 'runs',
    by: IDENTITY,
  },
  {
    id: 'EX-15',
    what: 'more rules than the helper holds',
    enforced: 'stopped',
    observed: 'runs',
    by: 'refused by name at the start, never cut off; observed: an event says that nothing is observed',
  },
  {
    id: 'EX-17',
    what: '`docker exec` and `ucp-sandbox exec` into the sandbox; a restart of its container',
    enforced: 'stopped',
    observed: 'runs',
    by: "all processes of the sandbox's PID namespace are judged, and each start is attached anew before the workload runs",
  },
  {
    id: 'EX-20',
    what: 'injection variables (`LD_PRELOAD`, `BASH_ENV`, …) from flags, files and images',
    enforced: 'stopped',
    observed: 'stopped',
    by: 'refused when a run is decided, whatever the exec section says',
  },
  {
    id: 'EX-21',
    what: '`ptrace`, `process_vm_writev`, `pidfd_getfd`, `io_uring`, `bpf`, `perf_event_open`, `userfaultfd`, `setns`, new user namespaces',
    enforced: 'stopped',
    observed: 'stopped',
    by: SECCOMP,
  },
  {
    id: 'EX-22',
    what: "the image's own entrypoint, and whatever runs before the rules are in force",
    enforced: 'stopped',
    observed: 'runs',
    by: 'PID 1 is `ucp-init`, which waits until the control is proven; a denied entrypoint ends with 126',
  },
  {
    id: 'EX-23',
    what: 'kill the control plane, the process that decides, or all of the helper',
    enforced: 'stopped',
    observed: 'runs',
    by: 'a keeper and, apart from it, `ucp-hold` have the descriptors: execs wait for the next decider. Killing both at the same moment, as root of the host, opens the sandbox until the helper is back',
  },
  {
    id: 'EX-24',
    what: 'an engine that is not on this host, or a runtime whose execs the kernel does not see',
    enforced: 'stopped',
    observed: 'runs',
    by: 'a run that asks for enforcement is refused by name: no helper can work there, or the trial before the start fails',
  },
  {
    id: 'EX-25',
    what: 'a flood of denied execs',
    enforced: 'stopped',
    observed: 'runs',
    by: 'the verdict does not depend on the report; equal events are counted, and what is lost is told',
  },
  {
    id: 'PL-08',
    what: "mount the engine's socket or the control plane's state into a sandbox",
    enforced: 'stopped',
    observed: 'stopped',
    by: 'such mounts are refused when a run is decided',
  },
  {
    id: 'PL-09',
    what: 'an exec while the policy changes',
    enforced: 'stopped',
    observed: 'runs',
    by: 'the lists change at once between two answers; what both policies deny never runs',
  },
  {
    id: 'CT-09',
    what: 'move the tag of the image between the decision and the start',
    enforced: 'stopped',
    observed: 'stopped',
    by: 'containers are made from the image id that was looked at, and keep it',
  },
];
