/** Codes of the privileged helpers: HELPER_… are ours about them, KERNEL_… are what ucp-kernel and ucp-hold answer, NET_… what ucp-net does. */
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
    summary: 'The kernel gives no further fanotify group, and the helper may not raise their number.',
    remedy:
      'Raise the sysctl `fs.fanotify.max_user_groups` (two for each sandbox); the kernel needs CONFIG_FANOTIFY_ACCESS_PERMISSIONS.',
  },
  KERNEL_DRIFT_UNKNOWN: {
    summary: "The policy denies what was written after the start, but the container's writable layer cannot be found.",
    remedy: 'Use the overlay2 storage driver, or `drift: allow`.',
  },
  KERNEL_HELD_GONE: {
    summary: 'What waits for the verdicts of a helper that died cannot be taken over from ucp-hold.',
    remedy: 'Nothing: it is tried again, and what waits goes on waiting. If it stays, start the sandbox again.',
  },
  KERNEL_PATTERN_INVALID: {
    summary: 'The helper cannot compile a pattern of the exec rules.',
    remedy: 'Write the pattern that the pointer names more simply.',
  },
  KERNEL_LIST_TOO_LARGE: {
    summary: 'The exec rules are more, or longer, than the helper takes.',
    remedy: 'Use at most 10,000 patterns a list, and shorter ones; wildcards replace many.',
  },
  NET_PROTOCOL_UNKNOWN: {
    summary:
      'The control plane and a network helper that was started by another version do not speak the same protocol.',
    remedy: 'Stop all sandboxes and the control plane (`ucpd stop`), then run again.',
  },
  NET_REQUEST_INVALID: {
    summary: 'The network helper got a request that it does not understand.',
    remedy: 'Report it with the message; control plane and helper are of different versions.',
  },
  NET_SANDBOX_UNKNOWN: {
    summary: 'The network helper was asked about a sandbox that it was not told of.',
    remedy: 'Start the sandbox again.',
  },
  NET_PROCESS_UNKNOWN: {
    summary:
      "The network of the sandbox's first process cannot be opened: it ended, or is not to be seen by the helper.",
    remedy:
      'Run again; with an engine in a virtual machine or in another PID namespace network rules cannot be enforced.',
  },
  NET_NAMESPACE_SHARED: {
    summary: "The sandbox is in the network of the host or of another sandbox, where rules would be others' rules too.",
    remedy: 'Leave the network isolated, or run without `--network-config`.',
  },
  NET_RULES_REFUSED: {
    summary: "The kernel did not take a sandbox's network rules; nft's words are in the message.",
    remedy: 'Load the kernel modules that nftables needs (`nft_reject_inet`, `nft_log`, `nft_redir`, `nft_ct`).',
  },
  NET_RULES_TIMEOUT: {
    summary: 'Putting network rules in force took too long; those of before stay in force.',
    remedy:
      'Look at the load of the host, then run again; make the configuration smaller if it has very many addresses.',
  },
  NET_DNS_PORT_TAKEN: {
    summary: 'Something in the sandbox listens on port 5053, where its names are answered; none is until it is free.',
    remedy: 'Let the workload use another port, then restart the sandbox.',
  },
  NET_SOCKETS_FAILED: {
    summary: "The network helper cannot open its sockets in the sandbox's network; the reason is in the message.",
    remedy: 'The kernel needs NFLOG (`nfnetlink_log`) and free file descriptors; then run again.',
  },
  NET_ELEMENTS_REFUSED: {
    summary: 'The addresses that a name stands for could not be opened, so the name was not answered.',
    remedy: 'The program asks again by itself; restart the sandbox if it stays so.',
  },
  NET_LOCAL_FAILED: {
    summary: "The engine's own resolver in the sandbox's network did not answer.",
    remedy: "Ask again; look at the engine's log if it stays so.",
  },
  NET_BUSY: {
    summary: 'The network helper has too many requests for one sandbox waiting.',
    remedy: 'Try again in a moment.',
  },
} as const;
