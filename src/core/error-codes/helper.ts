/** Codes of the privileged helpers: HELPER_… are ours about them, KERNEL_… are what ucp-kernel answers. */
export const helperErrors = {
  HELPER_UNAVAILABLE: {
    summary: 'A privileged helper that a control needs could not be started.',
    remedy: 'Read the reason in the message; `docs/exec.md` says what the helper needs from kernel and engine.',
  },
  HELPER_GONE: {
    summary: 'A privileged helper ended while it was asked something.',
    remedy: 'Run again: it is started again by itself, and what it had put in force stays in force.',
  },
  HELPER_REFUSED: {
    summary: 'A privileged helper refused a request with a code that this version does not know.',
    remedy: 'Stop all sandboxes and the control plane, so that helper and control plane are of one version.',
  },
  KERNEL_PROTOCOL_UNKNOWN: {
    summary: 'The control plane and a helper that was started by another version do not speak the same protocol.',
    remedy: 'Stop all sandboxes and the control plane (`ucpd stop`), then run again.',
  },
  KERNEL_REQUEST_INVALID: {
    summary: 'A helper got a request that it does not understand.',
    remedy: 'Report it with the message; control plane and helper are of different versions.',
  },
  KERNEL_SANDBOX_UNKNOWN: {
    summary: 'A helper was asked about a sandbox that it was not told of.',
    remedy: 'Start the sandbox again.',
  },
  KERNEL_SANDBOX_EXISTS: {
    summary: 'A helper was told of a sandbox that it has already.',
    remedy: 'Start the sandbox again.',
  },
  KERNEL_PROCESS_UNKNOWN: {
    summary: "The sandbox's first process ended, or is not to be seen where the helper runs.",
    remedy: 'Run again; with an engine in a virtual machine or in another PID namespace exec rules cannot be enforced.',
  },
  KERNEL_NAMESPACE_SHARED: {
    summary: 'The sandbox has no PID namespace of its own, so nobody can tell whose processes are its.',
    remedy: 'Leave the PID namespace isolated (`--isolation` for `pid`), or run without exec rules.',
  },
  KERNEL_MOUNT_FAILED: {
    summary: 'A file system of the sandbox cannot be watched by the kernel.',
    remedy: 'Leave out the volume that the message names, or keep it on a local file system.',
  },
  KERNEL_FANOTIFY_UNAVAILABLE: {
    summary: 'The kernel gives no further fanotify group.',
    remedy:
      'Raise the sysctl `fs.fanotify.max_user_groups` (two for each sandbox); the kernel needs CONFIG_FANOTIFY_ACCESS_PERMISSIONS.',
  },
  KERNEL_DRIFT_UNKNOWN: {
    summary: "The policy denies what was written after the start, but the container's writable layer cannot be found.",
    remedy: 'Use the overlay2 storage driver, or `drift: allow`.',
  },
  KERNEL_PATTERN_INVALID: {
    summary: 'The helper cannot compile a pattern of the exec rules.',
    remedy: 'Write the pattern that the pointer names more simply.',
  },
  KERNEL_LIST_TOO_LARGE: {
    summary: 'The exec rules are more, or longer, than the helper takes.',
    remedy: 'Use at most 10,000 patterns a list, and shorter ones; wildcards replace many.',
  },
} as const;
