/** Labels on everything that UCP creates in an engine; what carries {@link LABEL.sandbox} is ours to reap. */
export const LABEL = {
  /** Sandbox id. */
  sandbox: 'ucp.sandbox',
  name: 'ucp.name',
  /** `attached` or `detached`. */
  mode: 'ucp.mode',
  /** Id of the state directory that owns it: two control planes on one engine never reap each other's. */
  owner: 'ucp.owner',
  /** On a helper container: its program, `ucp-kernel`, `ucp-hold`, `ucp-net` or `ucp-trace`. */
  helper: 'ucp.helper',
  /** `<boot id>:<pid>:<start time>` of the front end that holds the lease. */
  lease: 'ucp.lease',
  policyId: 'ucp.policy.id',
  policyVersion: 'ucp.policy.version',
  policyDigest: 'ucp.policy.digest',
  policyGeneration: 'ucp.policy.generation',
  /** Namespaces that are not isolated, comma separated; absent when all are. */
  shared: 'ucp.isolation.off',
  /** Controls that are not in force, comma separated. */
  degraded: 'ucp.degraded',
  /** The RunRequest as JSON, for `restart`. Holds no values of secrets. */
  remove: 'ucp.remove',
} as const;

/** Labels starting like this are ours: neither a flag nor an image may set them. */
export const LABEL_PREFIX = 'ucp.';
