/** Codes of the controlplane room. */
export const controlplaneErrors = {
  ENGINE_MISMATCH: {
    summary: 'The front end and the control plane use different Docker engines.',
    remedy: 'Use the engine of the control plane, or stop it with `ucpd stop` and run again.',
  },
  CONTROLPLANE_RUNNING: {
    summary: 'Another control plane already serves this socket and state directory.',
    remedy: 'Use the one that runs (`ucpd status`), or stop it first (`ucpd stop`).',
  },
  CONTROLPLANE_LEAVING: {
    summary: 'The control plane is shutting down and takes no new sandboxes.',
    remedy: 'Run again: a new control plane is started, or start the service.',
  },
  CONTROLPLANE_READ_ONLY: {
    summary: "The socket that every user may read the service's state on was asked for more.",
    remedy: 'Join the group `ucp` and log in again: its members may run, stop and sync.',
  },
  CONTROL_UNENFORCEABLE: {
    summary: 'The policy or a flag asks to enforce a control that is not in force on this host.',
    remedy: 'Observe it only (`remediate: false`), or accept to be without it with `--allow-degraded=CONTROL`.',
  },
  CONTROL_FAILED: {
    summary: 'A control could not be put in force for a sandbox, so its workload was not started.',
    remedy: 'Read the cause in the message and in `ucpd logs`.',
  },
  CONTROL_UNPROVEN: {
    summary: 'The helper accepted the rules, but a trial in the sandbox did not end as they say.',
    remedy: 'Use an engine on this host with its own runtime (runc) and a kernel with fanotify permission events.',
  },
  CONTROL_UNKNOWN: {
    summary: '`--allow-degraded` names a control that does not exist.',
    remedy: 'Use one of the names in the message.',
  },
  OPTIONS_REFUSED: {
    summary: 'A flag asks for more than the policy permits, or for something that no policy permits.',
    remedy: 'Ask for less, as the message says, or have the rule that the pointer names changed.',
  },
  NETWORK_CONFIG_UNKNOWN: {
    summary: 'The policy has no network configuration of the name that `--network-config` gives.',
    remedy: 'Use one of the names in the message, or add it to the policy.',
  },
  INGRESS_AMBIGUOUS: {
    summary: 'An ingress rule and a published port ask for a distinction that connections do not carry.',
    remedy: 'Publish the port on 127.0.0.1, or let in what the message names.',
  },
  INGRESS_UNREACHABLE: {
    summary: "An ingress rule lets in a network that the sandbox's own network can't have.",
    remedy: 'Join a network with IPv6 (`--network`), or leave the rule out.',
  },
  POLICY_NOT_LOADED: {
    summary: 'A check for a newer policy did not end with it in force; the message says why.',
    remedy: 'Correct what the message names; the policy in force before goes on.',
  },
  POLICY_FIXED: {
    summary: 'A run named its own policy, but the control plane is the host’s service and its policy is in force.',
    remedy: 'Leave out `--policy`, or publish the policy to where the service reads it.',
  },
  POLICY_KEY_MISSING: {
    summary: 'A policy was named without the public key that verifies it.',
    remedy: 'Add `--policy-key KEY.pub`, or set `ucpcm.public_key` in the configuration.',
  },
  POLICY_ROLLBACK: {
    summary: 'The policy is older than one that was active on this host, or has the same version with other bytes.',
    remedy: 'Raise `version` above the one the message names, sign and publish again.',
  },
  POLICY_SOURCE_MISSING: {
    summary: 'The policy, its signature or the public key is not where the configuration says.',
    remedy: 'Publish it there, or correct `ucpcm.policy_url`, `policy`, `policy_sig` or `public_key`.',
  },
  POLICY_SOURCE_UNREACHABLE: {
    summary: 'The place that the policy is fetched from does not answer.',
    remedy:
      'Check network, credentials and `ucpcm.transport`; the policy in force stays, and the next check tries again.',
  },
  POLICY_SOURCE_DENIED: {
    summary: 'The place that the policy is fetched from refuses access.',
    remedy: 'Give the control plane read access to it.',
  },
  CONFIG_INVALID: {
    summary: 'The configuration file has an unknown key or a value of the wrong kind.',
    remedy: 'Correct the line that the message names; `ucpd check-config` checks without starting.',
  },
  STATE_UNUSABLE: {
    summary: 'The state directory cannot be made, read or written.',
    remedy: 'Check owner, mode and free space of the path in the message, or set UCP_STATE_DIR.',
  },
  INSTALL_INCOMPLETE: {
    summary: 'A part of UCP that the run needs is not installed.',
    remedy: 'Run `npm run build`, or install the package again.',
  },
  SANDBOX_UNKNOWN: {
    summary: 'The control plane does not know a sandbox of that name or id.',
    remedy: 'List what there is with `ucp-sandbox ps --all`.',
  },
  SANDBOX_EPHEMERAL: {
    summary: 'A foreground sandbox, or one that is removed at its end, cannot be started again.',
    remedy: 'Run it again, with `--detach` and without `--rm` if it is to be restarted.',
  },
  LEASE_LOST: {
    summary: 'The front end that the sandbox belongs to went away before it started.',
    remedy: 'Nothing to do: the sandbox was removed.',
  },
} as const;
