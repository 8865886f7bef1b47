/** One thing that UCP promises; `source` is where the promise comes from. */
interface Requirement {
  readonly source: string;
  readonly behaviour: string;
}

/**
 * The end-to-end requirements. Every id is cited by at least one test (`verifies`), and every cited id stands here:
 * `coverage.test.ts` checks both.
 */
export const REQUIREMENTS = {
  // The front end
  'RUN-01': { source: 'DESIGN 12', behaviour: "The container's exit code is the front end's" },
  'RUN-02': { source: 'DESIGN 12', behaviour: '126 not executable, 127 not found, 128+n for a signal, 125 ours' },
  'RUN-03': { source: 'DESIGN 12', behaviour: 'stdout carries the bytes of the workload and nothing else' },
  'RUN-04': { source: 'BC-3249', behaviour: '`--flag=value` and `--flag value` mean the same' },
  'RUN-05': { source: 'DESIGN 12', behaviour: 'Flags end at IMAGE; arguments are never joined or split' },
  'RUN-06': { source: 'DESIGN 8', behaviour: 'No host variable reaches the workload unless it is named' },
  'RUN-07': { source: 'DESIGN 8', behaviour: 'Required volumes and variables are there by themselves, read-only' },
  'RUN-08': {
    source: 'DESIGN 8',
    behaviour: 'User, workdir, entrypoint, env, env-file, labels, name and tmpfs as docker means them',
  },
  'RUN-09': { source: 'DESIGN 8', behaviour: 'Ports are bound to 127.0.0.1 unless an address is given' },
  'RUN-10': {
    source: 'DESIGN 12',
    behaviour: 'A detached sandbox is listed, logged, inspected, entered, stopped and removed by name',
  },
  'RUN-11': { source: 'DESIGN 12', behaviour: '--dry-run and --explain show plan and spec and create nothing' },
  'RUN-12': { source: 'DESIGN 12', behaviour: 'A TTY is raw, resized and restored' },
  'RUN-13': { source: 'DESIGN 12', behaviour: 'Signals reach the workload; the second Ctrl+C stops, the third kills' },
  'RUN-14': {
    source: 'DESIGN 12',
    behaviour: 'stdin is half-closed at its end; a reader that goes away ends the sandbox',
  },
  'RUN-15': { source: 'DESIGN 2', behaviour: 'The output of a short-lived workload is complete' },
  'RUN-16': { source: 'DESIGN 2', behaviour: 'An ordinary user of group docker gets the same' },
  'RUN-17': {
    source: 'DESIGN 12',
    behaviour: 'Bad input: one line that says what to do, exit 125, nothing left behind',
  },
  'RUN-18': { source: 'specification 9', behaviour: '--version prints V<yy>.<nn>.<patch> from package.json' },
  // Init
  'INIT-01': { source: 'DESIGN 2', behaviour: 'Without `go` the workload does not run, whoever starts the container' },
  'INIT-02': {
    source: 'DESIGN 2',
    behaviour: 'A restart policy and `docker start` ask again, and get the current policy',
  },
  // Control plane
  'CP-01': { source: 'DESIGN 2', behaviour: 'Two racing front ends start one control plane' },
  'CP-02': { source: 'DESIGN 2', behaviour: 'It leaves when it has been idle' },
  'CP-03': { source: 'DESIGN 2', behaviour: 'After its SIGKILL sandboxes go on, and the next one takes them back' },
  'CP-04': {
    source: 'invariant 1',
    behaviour: 'What cannot be enforced is refused by name, unless --allow-degraded names it',
  },
  'CP-05': { source: 'invariant 2', behaviour: 'A flag never widens what the signed policy permits' },
  'CP-06': { source: 'DESIGN 5', behaviour: 'A policy is used only when its signature verifies over its exact bytes' },
  'CP-07': { source: 'DESIGN 8', behaviour: 'The digest of the policy in force is a label on the container' },
  'CP-08': { source: 'DESIGN 6', behaviour: 'An operator is told policy, last check, sandboxes, spool and export' },
  'EV-01': { source: 'specification 6', behaviour: 'Policy lifecycle events have the specified fields and order' },
  'EV-02': { source: 'DESIGN 7', behaviour: 'Sandbox events and violations reach the OTLP receiver and the local log' },
  // Policy from a bucket, and the installed service
  'S3-01': { source: 'specification 2', behaviour: 'Configuration and policy are read from an S3 bucket' },
  'S3-02': { source: 'DESIGN 6', behaviour: 'What has not changed is not downloaded again; a sync brings what has' },
  'S3-03': { source: 'DESIGN 5', behaviour: 'Whoever can write the bucket but has not the pinned key changes nothing' },
  'S3-04': { source: 'DESIGN 6', behaviour: 'Without the bucket a start uses the last good configuration and policy' },
  'S3-05': { source: 'DESIGN 5', behaviour: 'Keys are rotated without a moment in which no policy loads' },
  'SVC-01': { source: 'DESIGN 13', behaviour: 'The system service is installed and started by one command' },
  'SVC-02': { source: 'DESIGN 13', behaviour: "Only members of the service's group may use it; others are told so" },
  'SVC-03': {
    source: 'DESIGN 6',
    behaviour: 'Killed or restarted, the service finds its sandboxes running and takes them back',
  },
  'SVC-04': { source: 'DESIGN 13', behaviour: 'A service that hangs is started again by the watchdog' },
  'SVC-05': { source: 'DESIGN 13', behaviour: 'systemd judges the exposure of the unit 3.0 or less' },
  'SVC-07': {
    source: 'DESIGN 6',
    behaviour: 'A changed configuration is taken by a reload; a bad one is refused by name and the old one goes on',
  },
  'SVC-08': { source: 'DESIGN 13', behaviour: 'Credentials come to the service by systemd, and to nobody else' },
  'SVC-09': {
    source: 'issue 10',
    behaviour: 'After a reboot sandboxes with a restart policy run again, under the policy of now',
  },
  'SVC-06': { source: 'DESIGN 13', behaviour: 'Its removal leaves nothing' },
  'HM-01': {
    source: 'DESIGN 11',
    behaviour:
      'A program of the host is under the signed policy of the host, and its events say that it claims who it is',
  },
  'HM-02': {
    source: 'DESIGN 11',
    behaviour: 'A program of the host goes on without a control plane, and is as it is where none was',
  },
  // Known issues of the specification's release
  'BC-3256': {
    source: 'specification 7',
    behaviour:
      'A tool denied on the client side is neither listed nor callable in JavaScript, with remediation and event',
  },
  'BC-3249': { source: 'specification 7', behaviour: 'Both forms of --network-config are understood' },
  // reference/cases.md
  'FS-01': { source: 'cases', behaviour: 'A write to a default mount fails, also through aliases' },
  'FS-02': { source: 'cases', behaviour: 'A mount source that is swapped between check and use is refused' },
  'FS-05': { source: 'cases', behaviour: 'Dangerous mount sources are refused, by any spelling' },
  'FS-06': { source: 'cases', behaviour: 'Writable only by an explicit rw; every mount syntax is parsed strictly' },
  'CT-02': { source: 'cases', behaviour: 'No capability, privilege or unmasked path, and no flag that adds one' },
  'CT-03': { source: 'cases', behaviour: 'Labels, ENV and ENTRYPOINT of an image add nothing' },
  'CT-04': {
    source: 'cases',
    behaviour: 'Isolation that is off is said on stderr, in a label and in an event; policy can forbid it',
  },
  'CT-08': { source: 'cases', behaviour: 'Process and memory exhaustion inside does not hang the front end' },
  'PL-01': { source: 'cases', behaviour: 'Unsigned, wrongly signed, truncated or extended policies are refused' },
  'PL-03': {
    source: 'cases',
    behaviour: 'An older version or other bytes of the same one are refused; expiry is told',
  },
  'PL-04': { source: 'cases', behaviour: 'A persisted policy that was edited is not used' },
  'PL-05': { source: 'cases', behaviour: 'An unknown policy key is refused with its JSON pointer' },
  'PL-06': {
    source: 'cases',
    behaviour: 'An invalid update leaves the policy in force as it is, and an event says so',
  },
  'PL-12': {
    source: 'cases',
    behaviour: 'A bucket that is gone, forbidden, slow, cut off, redirecting or too large disturbs nothing',
  },
  'EX-20': { source: 'cases', behaviour: 'Injection variables are refused from flags, files and images' },
  'EX-22': {
    source: 'cases',
    behaviour: 'Nothing of the image runs before policy is in force, health checks included',
  },
  'MCP-01': {
    source: 'cases',
    behaviour: 'A denied tool is absent from every list: JSON, SSE, pages, after list_changed',
  },
  'MCP-03': {
    source: 'cases',
    behaviour: 'A hidden tool is refused by any spelling, with equal keys and ids that are used twice',
  },
  'MCP-04': { source: 'cases', behaviour: 'Other methods that reach the same data are under the same rules' },
  'MCP-07': {
    source: 'cases',
    behaviour: 'A secret reaches its workload alone: not arguments, inspect, labels, logs, events, errors or files',
  },
  'MCP-05': { source: 'cases', behaviour: 'Over HTTP only this machine and who has the token get in' },
  'MCP-08': { source: 'cases', behaviour: 'What a server asks of a client is seen' },
  'GW-01': {
    source: 'DESIGN 11',
    behaviour: 'The gateway decides the same for stdio servers in any language, at the boundary',
  },
  'GW-02': {
    source: 'DESIGN 11',
    behaviour: 'What no rule touches passes byte for byte; what is not the protocol does not pass when enforced',
  },
  'GW-04': { source: 'DESIGN 11', behaviour: 'An update is in force for the next message of a running server' },
  'GW-05': {
    source: 'DESIGN 11',
    behaviour: 'The gateway decides the same over Streamable HTTP and HTTP+SSE, with both official SDKs as clients',
  },
  'GW-06': {
    source: 'DESIGN 11',
    behaviour: 'The gateway over HTTP lets in only who may: Host, Origin, bearer token; the port is not published',
  },
  'GW-08': {
    source: 'issue 10',
    behaviour: 'A stdio server has a URL: Streamable HTTP with sessions and without, judged, for those who may',
  },
  'GW-09': {
    source: 'issue 10',
    behaviour: 'A server over HTTP outlives the terminal where a service manager holds its front end, as documented',
  },
  'GW-07': { source: 'issue 10', behaviour: 'The conformance suite says the same with and without the gateway' },
  'GW-03': { source: 'invariant 1', behaviour: 'An enforced gateway without `--mcp` is refused by name' },
  'MCP-06': {
    source: 'cases',
    behaviour: 'stdio is byte-exact: noise, partial lines, 10 MB messages, invalid UTF-8, CRLF',
  },
  'LC-01': { source: 'cases', behaviour: 'Front end gone in any way: container gone within 2 s' },
  'LC-02': { source: 'cases', behaviour: 'TERM ignored: KILL after the grace, exit 137 as it is' },
  'LC-04': { source: 'cases', behaviour: 'Parallel starts and kills leave nothing' },
  'LC-05': { source: 'cases', behaviour: 'Control plane restart while running' },
  'LC-08': { source: 'cases', behaviour: 'exec with an input that never ends does not hang' },
  'FS-04': { source: 'cases', behaviour: 'Files that a host tool would trust cannot be made in a default mount' },
  'CT-07': { source: 'cases', behaviour: 'What a workload prints steers no terminal, in logs and in JSON' },
  'PL-07': { source: 'cases', behaviour: 'Files of the directory that one happens to be in loosen nothing' },
  'LC-07': { source: 'cases', behaviour: 'Attach with and without stdin, half-close, large stdin' },

  // Named servers, clients, packages: the wrapper in development
  'WR-01': {
    source: 'issue 10',
    behaviour: 'A server is defined by one command, pinned, and checked before it is kept',
  },
  'WR-02': { source: 'issue 10', behaviour: 'Clients of one name have separate sandboxes' },
  'WR-03': { source: 'issue 10', behaviour: 'An update shows the changes in tools before it pins another image' },
  'WR-04': {
    source: 'issue 10',
    behaviour: "A server is put into a client's own file in one line, and taken out to the byte",
  },
  'WR-08': { source: 'DESIGN 12', behaviour: 'Completions know verbs, flags and the names of this host' },
  'WR-07': {
    source: 'issue 10',
    behaviour: 'The servers that a client starts itself become sandboxed ones, shown before',
  },
  'WR-05': {
    source: 'issue 10',
    behaviour: 'A server of npm or of Python runs in a sandbox without an image of its own',
  },
  'WR-06': {
    source: 'issue 10',
    behaviour: 'doctor finds what is missing here, with the fix, and clients that bypass the sandbox',
  },

  'OUT-01': {
    source: 'issue 10',
    behaviour: 'What a command prints arrives whole at a slow reader, and ends quietly with one that goes',
  },
  'WR-09': {
    source: 'issue 10',
    behaviour: 'prune shows what is left over and why, and touches nothing that is in use or of others',
  },

  // The Python sensors
  'BC-3260': { source: 'specification 7', behaviour: 'With the Python sensor, no run hangs after repeated Ctrl+C' },
  'PY-01': { source: 'DESIGN 11', behaviour: 'A Python program is as it is without the sensor' },
  'PY-02': { source: 'DESIGN 11', behaviour: 'mcp 1.x, 2.x and fastmcp: hide, refuse, redact, observe; either side' },
  'PY-03': { source: 'DESIGN 3', behaviour: 'A bug inside the sensor changes nothing when policy observes' },
  'PY-04': { source: 'DESIGN 11', behaviour: 'An agent card that policy denies is refused on either side' },
  'PY-05': { source: 'DESIGN 11', behaviour: 'Calls of models are told with their answers, secrets left out' },
  'PY-06': { source: 'DESIGN 11', behaviour: 'LangChain and CrewAI runs are told with their parents' },
  'PY-07': { source: 'DESIGN 11', behaviour: 'Both sensors decide the same on every supported Python' },
  // Network configurations
  'BC-3252': {
    source: 'specification 7',
    behaviour: 'After updates of the network policy every restart works, without a restart of the control plane',
  },
  'BC-3282': {
    source: 'specification 7',
    behaviour: 'With ingress rules published ports are reachable at the address and port of the host',
  },
  'NET-01': { source: 'cases NET-01', behaviour: 'An empty list lets nothing out, and so does a missing one' },
  'NET-05': { source: 'cases NET-05', behaviour: 'A host is judged as what it is, however it is written' },
  'NET-07': { source: 'cases NET-07', behaviour: 'A wildcard is for what is below it, not for lookalikes' },
  'NET-08': { source: 'cases NET-08', behaviour: 'A port that is open for a host opens no other one of it' },
  'NET-09': { source: 'cases NET-09', behaviour: 'Rules hold for every socket, with no proxy to go around' },
  'NET-10': { source: 'cases NET-10', behaviour: 'curl, Node, Python and Go work when allowed and fail when not' },
  'NET-11': { source: 'cases NET-11', behaviour: 'IPv6 is under the same rules as IPv4' },
  'NET-12': { source: 'cases NET-12', behaviour: 'The question for a denied name does not leave the host' },
  'NET-13': { source: 'cases NET-13', behaviour: 'Other resolvers are closed by UDP, TCP and TLS' },
  'NET-14': { source: 'cases NET-14', behaviour: 'An allowed name that stands for a closed address opens nothing' },
  'NET-15': { source: 'cases NET-15', behaviour: 'Metadata services and private ranges are closed unless named' },
  'NET-17': {
    source: 'cases NET-17',
    behaviour: "The host's abstract sockets are not reached, nor its sockets by a mount",
  },
  'NET-18': { source: 'cases NET-18', behaviour: 'Raw, packet, vsock and netfilter sockets are not to be had' },
  'NET-19': { source: 'cases NET-19', behaviour: "The engine's socket is not mounted, its port is not reached" },
  'NET-20': { source: 'cases NET-20', behaviour: 'The host is closed at each of its addresses unless named' },
  'NET-21': { source: 'cases NET-21', behaviour: 'Nothing of the control plane is reached by network' },
  'NET-22': { source: 'cases NET-22', behaviour: 'Other sandboxes of the same network are closed unless named' },
  'NET-25': {
    source: 'cases NET-25',
    behaviour: 'A tightened policy ends the connections that it takes away, only those',
  },
  'NET-26': { source: 'cases NET-26', behaviour: 'Rules hold at every start, whoever starts the container' },
  'NET-27': { source: 'cases NET-27', behaviour: 'With helper or control plane killed nothing opens' },
  'NET-29': { source: 'cases NET-29', behaviour: 'Files of the sandbox that name hosts and resolvers open nothing' },
  'NET-31': { source: 'cases NET-31', behaviour: 'A socket that is passed on or shared is under the same rules' },
  'NET-30': { source: 'cases NET-30', behaviour: 'A source that no ingress rule has is refused' },
  'PL-10': { source: 'cases PL-10', behaviour: 'A network config that does not exist is refused with those that do' },
  // The kernel's decision on execs, through the helper's own protocol
  'EX-01': { source: 'cases EX-01', behaviour: 'A rule holds for symlinks to the file, and for the file of a symlink' },
  'EX-02': { source: 'cases EX-02', behaviour: 'A hard link to a denied file does not run' },
  'EX-03': { source: 'cases EX-03', behaviour: 'A renamed or copied denied file does not run' },
  'EX-04': { source: 'cases EX-04', behaviour: 'The dynamic linker does not load a denied file' },
  'EX-07': { source: 'cases EX-07', behaviour: 'Names of a denied file under /proc do not run' },
  'EX-09': { source: 'cases EX-09', behaviour: 'A denied interpreter runs no script' },
  'EX-06': {
    source: 'cases EX-06',
    behaviour: 'Programs without a path do not run: in memory, by descriptor, deleted',
  },
  'EX-10': { source: 'cases EX-10', behaviour: 'What a wrapper executes is judged' },
  'EX-11': { source: 'cases EX-11', behaviour: 'What an allowed interpreter does is not judged, and is said to be so' },
  'EX-14': { source: 'cases EX-14', behaviour: 'Globs mean what the policy reference says' },
  'EX-16': { source: 'cases EX-16', behaviour: 'No mount, copy-up, root or namespace renames a denied file' },
  'EX-18': { source: 'cases EX-18', behaviour: 'Neither arguments nor names that change meanwhile decide' },
  'EX-15': { source: 'cases EX-15', behaviour: 'More rules than there is room for are refused, never cut off' },
  'EX-21': { source: 'cases EX-21', behaviour: 'Calls that reach into other processes are refused' },
  'EX-24': { source: 'cases EX-24', behaviour: 'Where execs cannot be decided, enforcement is refused by name' },
  'EX-25': { source: 'cases EX-25', behaviour: 'A flood changes no verdict, and is counted exactly' },
  'PL-09': { source: 'cases PL-09', behaviour: 'A change of policy has no moment without rules' },
  'CT-09': { source: 'cases CT-09', behaviour: 'A sandbox is made from the image looked at, whatever its tag does' },
  'FS-08': { source: 'cases FS-08', behaviour: 'A denied file cannot be read under another name' },
  'PL-08': { source: 'cases PL-08', behaviour: 'Nothing that runs inside loosens the rules' },
  'EX-12': { source: 'cases EX-12', behaviour: 'Long paths and paths of any bytes are judged like others' },
  'EX-13': { source: 'cases EX-13', behaviour: 'Other spellings of a path do not run' },
  'EX-17': {
    source: 'cases EX-17',
    behaviour: 'Processes that enter the sandbox later or unshare inside are judged too',
  },
  'EX-23': {
    source: 'cases EX-23',
    behaviour: 'Enforcement outlives the control plane and the process that decides',
  },
  'EX-26': {
    source: 'design 9',
    behaviour:
      'Programs that a sandbox executes, and how they end, are told with their parents; what is lost is counted',
  },
  'EX-27': { source: 'issue 6', behaviour: 'An exec names the MCP request that caused it, where it is known' },
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;
