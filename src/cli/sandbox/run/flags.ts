/** One flag of `ucp-sandbox run`. */
export interface Flag {
  readonly short?: string;
  /** What stands for its value in the help; absent for a switch. */
  readonly value?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly help: string;
}

/** Flags with docker's names and meanings, in the order of the help. */
const DOCKER_FLAGS = {
  env: { short: 'e', value: 'KEY[=VALUE]', many: true, help: 'set a variable; without a value it is taken from here' },
  'env-file': { value: 'FILE', many: true, help: 'set the variables in a file' },
  volume: { short: 'v', value: 'SRC:DST[:ro|rw]', many: true, help: 'mount a path or volume, read-only unless :rw' },
  mount: { value: 'K=V,…', many: true, help: 'mount in the long form, read-only unless readonly=false' },
  tmpfs: { value: 'DST[:OPTIONS]', many: true, help: 'mount a file system of memory' },
  publish: {
    short: 'p',
    value: '[[ADDR:]HOST:]PORT[/PROTO]',
    many: true,
    help: 'publish a port, on 127.0.0.1 unless ADDR',
  },
  name: { value: 'NAME', help: 'name of the sandbox' },
  rm: { help: 'remove it at its end (a foreground sandbox always is)' },
  detach: { short: 'd', help: 'run in the background and print its id' },
  interactive: { short: 'i', help: 'forward stdin' },
  tty: { short: 't', help: 'give it a terminal' },
  workdir: { short: 'w', value: 'DIR', help: 'working directory' },
  user: { short: 'u', value: 'USER[:GROUP]', help: 'user and group' },
  hostname: { short: 'h', value: 'NAME', help: 'its host name' },
  entrypoint: { value: 'PROGRAM', help: "replace the image's ENTRYPOINT" },
  label: { short: 'l', value: 'KEY[=VALUE]', many: true, help: 'set a label' },
  memory: { short: 'm', value: 'SIZE', help: 'memory limit, e.g. 512m' },
  cpus: { value: 'N', help: 'processor limit, e.g. 1.5' },
  'pids-limit': { value: 'N', help: 'process limit' },
  network: { value: 'NAME', help: "join a network of the engine, or 'none'" },
  pull: { value: 'missing|always|never', help: 'when to pull the image (default: missing)' },
  platform: { value: 'OS/ARCH', help: 'platform of the image' },
  'stop-timeout': { value: 'SECONDS', help: 'grace between the stop signal and KILL' },
  restart: { value: 'no|always|unless-stopped|on-failure[:N]', help: 'restart policy; needs --detach' },
  init: { help: 'accepted; a sandbox always has an init' },
  quiet: { short: 'q', help: 'say nothing of our own but errors' },
} as const satisfies Record<string, Flag>;

/** Flags of UCP. */
const UCP_FLAGS = {
  'network-config': { value: 'NAME', help: 'network rules of the policy to apply' },
  mcp: {
    value: 'stdio|http:PORT',
    help: 'an MCP server on stdin and stdout (ends with its input), or on a port that the gateway takes over',
  },
  serve: { value: '[ADDRESS:]PORT', help: 'Streamable HTTP for a stdio server, on 127.0.0.1 unless ADDRESS' },
  'mcp-token': { value: 'FILE', help: 'bearer token that clients of --mcp http and --serve have to bring' },
  secret: {
    value: 'NAME[,env=VAR|file=PATH][,from=…]',
    many: true,
    help: 'give it a secret, from the keyring, an encrypted file or a variable; default: file=NAME in /run/secrets',
  },
  isolation: { value: 'pid,ipc,uts,user,net', help: 'isolate these namespaces only' },
  'no-isolation': { help: 'isolate no namespace' },
  policy: { value: 'FILE', help: 'signed policy of this run (with FILE.sig and --policy-key)' },
  'policy-key': { value: 'FILE', help: 'public key of that policy' },
  'allow-degraded': { value: 'CONTROL', many: true, help: 'run although this control cannot be enforced' },
  'dry-run': { help: 'print plan and container spec as JSON, run nothing' },
  explain: { help: 'print each field of the spec and who decided it, run nothing' },
  timings: { help: 'say how long each phase took' },
  json: { help: 'errors as JSON, on the last line of stderr' },
  debug: { help: 'print causes and stack traces' },
  help: { help: 'print this' },
} as const satisfies Record<string, Flag>;

export const FLAGS = { ...DOCKER_FLAGS, ...UCP_FLAGS };
export type FlagName = keyof typeof FLAGS;

/** Other spellings that docker has. */
export const ALIASES: Readonly<Record<string, FlagName>> = { net: 'network' };

/** Flags of docker that a sandbox does not have, and why. */
export const REFUSED: Readonly<Record<string, string>> = {
  privileged: 'a sandbox runs without capabilities',
  'cap-add': 'a sandbox runs without capabilities',
  'security-opt': "seccomp and no-new-privileges are the policy's",
  device: 'a sandbox has no devices of the host',
  gpus: 'a sandbox has no devices of the host',
  pid: 'name the namespaces to isolate with --isolation',
  ipc: 'name the namespaces to isolate with --isolation',
  uts: 'name the namespaces to isolate with --isolation',
  userns: 'name the namespaces to isolate with --isolation',
  cgroupns: 'a sandbox always has its own',
  'volumes-from': 'name each mount with --volume',
  'cgroup-parent': 'its cgroup is where the engine puts it',
  sysctl: "kernel settings are the policy's",
  'group-add': 'name the group with --user',
};

/** The flag that a long or short name means. */
export function flagNamed(name: string): FlagName | undefined {
  if (isFlag(name)) return name;
  const alias = ALIASES[name];
  return alias ?? SHORT.get(name);
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

const SHORT = new Map<string, FlagName>();
for (const name of Object.keys(FLAGS)) {
  if (!isFlag(name)) continue;
  const flag: Flag = FLAGS[name];
  if (flag.short !== undefined) SHORT.set(flag.short, name);
}
