/** One event as its reader sees it. */
interface EventEntry {
  readonly name: string;
  /** Severity, or what it depends on. */
  readonly severity: 'INFO' | 'WARN' | 'ERROR' | 'INFO, WARN' | 'WARN, ERROR';
  /** Fields of the body. */
  readonly fields: readonly string[];
  readonly meaning: string;
}

/** Events of one maker. `critical` ones are on disk before the next is, and never give way to others. */
export interface EventGroup {
  readonly title: string;
  readonly domain: string;
  readonly class: 'critical' | 'normal; critical at WARN and above';
  readonly events: readonly EventEntry[];
}

const entry = (
  name: string,
  severity: EventEntry['severity'],
  fields: readonly string[],
  meaning: string,
): EventEntry => ({ name, severity, fields, meaning });

const words = (text: string): readonly string[] => text.split(' ');

const MCP_FIELDS = ['side', 'server', 'transport'] as const;
const ANSWERED = [...MCP_FIELDS, 'duration_ms', 'error'] as const;

/** Every event that UCP emits; a test holds it against the sources. */
export const CATALOGUE: readonly EventGroup[] = [
  {
    title: 'Policy life cycle',
    domain: 'pcm',
    class: 'critical',
    events: [
      entry(
        'policy_lifecycle',
        'INFO, WARN',
        [
          'action',
          'delay',
          'error',
          'startup_state',
          'source',
          'size',
          'key',
          'digest',
          'generation',
          'reason',
          'since',
        ],
        'A step of the policy: `action` is `policy_download_attempt`, `policy_download_started`, `policy_download_completed`, `policy_download_success`, `policy_applied`, `policy_rejected` (WARN) or `policy_stale` (WARN). `delay`: seconds between checks; `error`: null or `{code, message, retryable}`; `startup_state`: `ColdStartup` or `WarmStartup`; `size`: bytes of the policy.',
      ),
      entry('config_reloaded', 'INFO', ['config'], 'The configuration was read again and is in force.'),
      entry(
        'config_rejected',
        'WARN',
        ['config', 'error'],
        'A changed configuration was not taken when it was read again; the old one goes on.',
      ),
    ],
  },
  {
    title: 'Sandboxes',
    domain: 'sandbox',
    class: 'critical',
    events: [
      entry(
        'sandbox_started',
        'INFO',
        ['image', 'image_digest', 'mode', 'isolation_off', 'degraded', 'controls', 'policy_source'],
        'Policy is in force and the workload was let go.',
      ),
      entry('sandbox_exited', 'INFO', ['exit_code', 'image'], 'The main process ended.'),
      entry(
        'sandbox_refused',
        'ERROR',
        ['error', 'image', 'name', 'mode'],
        'A run was refused; nothing of the image ran.',
      ),
      entry(
        'sandbox_outdated',
        'WARN',
        ['error', 'image'],
        'A new policy cannot be applied to this running sandbox; a restart of it can.',
      ),
      entry(
        'sandbox_violation',
        'WARN',
        ['image', 'name', 'message'],
        'A run broke a rule of a section that observes.',
      ),
      entry(
        'sandbox_lease_lost',
        'INFO',
        ['state', 'lease_pid'],
        'The front end of an attached sandbox is gone; the sandbox is removed.',
      ),
    ],
  },
  {
    title: 'MCP',
    domain: 'mcp',
    class: 'normal; critical at WARN and above',
    events: [
      entry(
        'mcp_violation',
        'WARN, ERROR',
        [...MCP_FIELDS, 'message'],
        'A message broke a rule: WARN where it was allowed, ERROR where it was blocked or redacted.',
      ),
      entry('mcp_session_started', 'INFO', ANSWERED, 'A client and a server agreed on a session.'),
      entry('mcp_list', 'INFO', ANSWERED, 'Tools, resources or prompts were listed.'),
      entry('mcp_tool_call', 'INFO', ANSWERED, 'A tool was called (`gen_ai.tool.name`).'),
      entry('mcp_resource_read', 'INFO', ANSWERED, 'A resource was read (`mcp.resource.uri`).'),
      entry('mcp_resource_subscribe', 'INFO', ANSWERED, 'A client subscribed to a resource.'),
      entry('mcp_prompt_get', 'INFO', ANSWERED, 'A prompt was fetched (`gen_ai.prompt.name`).'),
      entry('mcp_completion', 'INFO', ANSWERED, 'An argument was completed.'),
      entry('mcp_sampling', 'INFO', ANSWERED, 'A server asked for a model invocation.'),
      entry('mcp_elicitation', 'INFO', ANSWERED, 'A server asked the user for something.'),
      entry('mcp_list_changed', 'INFO', MCP_FIELDS, 'A server said that one of its lists changed.'),
      entry('mcp_roots_list', 'INFO', ANSWERED, 'A server asked for the roots.'),
      entry(
        'mcp_noise',
        'WARN',
        ['server', 'transport', 'lines'],
        'A server said on stdout what is not the protocol; the gateway kept it off the client. `lines`: how many so far.',
      ),
      entry(
        'tool_definition_changed',
        'WARN',
        [...MCP_FIELDS, 'pinned', 'now'],
        'A tool is no longer what it was when it was listed first; a violation where `pin_tools` says that it stays.',
      ),
    ],
  },
  {
    title: 'Programs',
    domain: 'exec',
    class: 'critical',
    events: [
      entry(
        'exec_violation',
        'WARN, ERROR',
        [
          'access',
          'list',
          'path',
          'path_hex',
          'named',
          'origin',
          'count',
          'pid_inside',
          'uid',
          'comm',
          'parent_pid',
          'parent_comm',
        ],
        'The execution of a file (`access`: `exec`), or the opening of a denied one (`open`), broke a rule: WARN where it was only observed, ERROR where it was blocked. `list`: `deny`, `allow`, `drift`, `limit` (a pattern took too long) or `path` (the kernel could not say it). `path_hex`: the exact bytes of a path that is not UTF-8. `named`: the name that the rule has, where it is another one. `origin`: `image`, `volume` or `drift`. `count`: how often since the last event of the same kind: equal ones are put together for a second. The rest says who asked.',
      ),
      entry(
        'process_exec',
        'INFO',
        words(
          'path path_hex file cwd argv argv_cut paths_cut deleted origin pid pid_inside ppid parents uid comm count observed_by',
        ),
        'A process of a sandbox executed a program ([process-events.md](process-events.md)); class normal. `path`: of the executable, links resolved; `file`: the name that was used; `argv`, up to 4 KiB (`argv_cut`); `origin`: `image`, `volume` or `drift`, where it could be told; `parents`: nearest first; `count`: more than 1 where so many alike were put together; `observed_by`: `bpf` or `proc_connector`. Attributes name the MCP request that caused it, where a sensor knows it.',
      ),
      entry(
        'process_exit',
        'INFO',
        words('exit_code signal path pid pid_inside ppid parents uid comm count observed_by'),
        'A process that executed a program in a sandbox ended with `exit_code` or by `signal`; class normal. `path` is missing where the exec was not told: lost, or before the sandbox was observed.',
      ),
      entry('process_unobserved', 'WARN', ['cause'], 'Processes of this sandbox are not told of; the workload runs.'),
      entry(
        'exec_unobserved',
        'WARN',
        ['cause'],
        'Exec rules that are to be observed are not: the workload runs without them.',
      ),
    ],
  },
  {
    title: 'Network',
    domain: 'network',
    class: 'critical',
    events: [
      entry(
        'network_violation',
        'WARN, ERROR',
        ['config', 'direction', 'address', 'port', 'protocol', 'name', 'type', 'uid', 'count', 'reason'],
        'A connection or a DNS question broke a rule of a network configuration: WARN where it was only observed, ERROR where it was refused. `name`: the name that was asked, where one stood for the address; `protocol`: `tcp`, `udp`, …, `dns`; `reason`: `rule`, `closed`, `host`, `resolver`, `in` or `name`; `uid`: of the process, as the kernel says it; `count`: how many alike.',
      ),
      entry(
        'network_unobserved',
        'WARN',
        ['config', 'cause'],
        'Network rules that are to be observed are not: the workload runs without them.',
      ),
    ],
  },
  {
    title: 'Agents and models',
    domain: 'a2a, llm',
    class: 'normal; critical at WARN and above',
    events: [
      entry('a2a_agent_card', 'INFO', [], "Another agent's card was read."),
      entry('a2a_violation', 'WARN, ERROR', ['message'], "An agent's card broke a rule."),
      entry('a2a_request', 'INFO', ['duration_ms', 'error'], 'A request to or from another agent.'),
      entry('llm_request', 'INFO', ['prompts'], 'A model was asked; content only where policy captures it.'),
      entry(
        'llm_response',
        'INFO',
        ['request', 'duration_ms', 'answers'],
        'A model answered; `request` is the id of the request. What a stream said in pieces is joined (JavaScript).',
      ),
    ],
  },
  {
    title: 'Inside a program',
    domain: 'runtime',
    class: 'normal; critical at WARN and above',
    events: [
      entry(
        'sensor_started',
        'INFO',
        ['mode', 'runtime', 'version', 'pid', 'program'],
        'A sensor is active in a process.',
      ),
      entry('sensor_degraded', 'WARN', ['control', 'reason'], 'A sensor cannot see or control something here.'),
      entry(
        'sensor_error',
        'ERROR',
        ['where', 'error'],
        "A sensor failed inside; the program went on by the section's `on_error`.",
      ),
      entry('process_spawn', 'INFO', ['file', 'args'], 'A child process was started.'),
      entry(
        'network_connect',
        'INFO',
        ['config', 'direction', 'address', 'port', 'protocol', 'name', 'uid', 'rule', 'count'],
        'An outbound connection (`server.address`, `server.port`). With the fields of the body, and the domain `network`: one that the rules of a network configuration let through, in either direction; `rule`: the JSON pointer of what let it out, or of the list that let it in.',
      ),
      entry('file_write', 'INFO', ['by'], 'A file was opened for writing (`file.path`).'),
      entry('code_from_string', 'INFO', ['by'], 'Code was made from a string.'),
      entry('native_addon', 'INFO', ['file'], 'A native addon was loaded (JavaScript).'),
      entry('native_library', 'INFO', ['file'], 'A native library was loaded (Python).'),
    ],
  },
  {
    title: 'Losses and the export itself',
    domain: 'telemetry',
    class: 'critical',
    events: [
      entry(
        'export_gap',
        'WARN, ERROR',
        ['class', 'boot', 'from_seq', 'to_seq', 'count', 'reason'],
        'Exactly `count` events of that class and start, all between the two numbers, will never be exported. `reason`: `spool_full` (an outage longer than the disk is large), `memory_full` (a burst, or a failing disk), `damaged` (unreadable on disk). ERROR where the class is critical.',
      ),
      entry(
        'export_rejected',
        'ERROR',
        ['count', 'message'],
        'The receiver took a request and dropped `count` of its records (partial success).',
      ),
      entry(
        'export_dead_letter',
        'ERROR',
        ['event_id', 'event_name', 'boot', 'class', 'seq', 'reason'],
        'The receiver takes other events but never this one; it is kept in `spool/dead-letters.jsonl`.',
      ),
      entry(
        'export_probe',
        'INFO',
        [],
        'Sent alone after a refusal, to tell a bad event from a bad address or credentials. In no stream (`ucp.seq` 0), class normal.',
      ),
      entry(
        'export_recovered',
        'INFO',
        ['seconds', 'attempts', 'reason'],
        'The receiver takes events again after three failed attempts or more.',
      ),
      entry('spool_degraded', 'ERROR', ['error'], 'The spool cannot be written; events are kept in memory.'),
      entry('spool_restored', 'INFO', ['seconds'], 'The spool can be written again.'),
      entry(
        'spool_torn',
        'WARN',
        ['class', 'boot', 'after_seq', 'bytes'],
        'A crash cut the last write; what it held had not been confirmed.',
      ),
      entry(
        'sensor_events_lost',
        'WARN',
        ['lost', 'reason'],
        'A sensor lost events before it could send them. `reason`, of the kernel sensor: `client` (nobody took them), `kinds` (too many different ones at a time), `restart` (it died); of the process events `client`, `kernel` (no room in the kernel, or a program of ours came upon itself) or `restart` (`lost` is null: nobody can say how many).',
      ),
      entry('sensor_lines_rejected', 'WARN', ['rejected'], 'Lines on a sensor socket were no events.'),
    ],
  },
];
