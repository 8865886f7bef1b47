import { toUcpError } from '../core/errors.ts';
import type { EventSink } from '../core/events.ts';
import type { Notification } from '../core/protocol.ts';
import type { RunRequest } from '../core/run-request.ts';
import { nameResolver } from '../net/dns/resolver.ts';
import type { Config } from './config/schema.ts';
import type { DaemonOptions } from './daemon.ts';
import { ExecControl } from './exec/exec-control.ts';
import { Holding } from './exec/holding.ts';
import { Helper } from './helper/helper.ts';
import { helperMode } from './helper/mode.ts';
import type { HelperContext, HelperSpec } from './helper/spec.ts';
import { type Tried, tryHelpers } from './helper/trial.ts';
import type { Install } from './install.ts';
import { NetworkControl, type NetworkControlOptions } from './network/network-control.ts';
import { withNotices } from './network/notices.ts';
import type { LoadedPolicy } from './policy/loaded-policy.ts';
import type { SandboxControl } from './sandboxes/control.ts';
import { TraceControl } from './trace/trace-control.ts';

/** fanotify; other processes' roots and namespaces; directories of other users. */
const KERNEL: HelperSpec = {
  program: 'ucp-kernel',
  capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'],
  layers: true,
};

/** Descriptors of the one above. */
const HOLD: HelperSpec = { program: 'ucp-hold', capabilities: ['SYS_PTRACE'] };

/** Other processes' network namespaces; rules, marks and logs in them. */
const NET: HelperSpec = { program: 'ucp-net', capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'NET_ADMIN'] };

/** BPF; other processes' namespaces; the process connector, where there is no BPF. */
const TRACE: HelperSpec = {
  program: 'ucp-trace',
  capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'NET_ADMIN', 'DAC_READ_SEARCH'],
  layers: true,
};

/** What the host puts in force around sandboxes, with the helpers that it needs rights from. */
export interface Enforcement {
  readonly controls: readonly SandboxControl[];
  /** Observes what they execute. */
  readonly trace: TraceControl;
  /** Looks, before a run is decided, whether what it and `policy` ask for can be put in force here. */
  ready(policy: LoadedPolicy, request: Pick<RunRequest, 'networkConfig'>): Promise<void>;
  /** Takes a changed configuration of the control plane. */
  configure(config: Config): void;
  /** Starts every helper in every way that this host allows and has it work, beside those that serve. */
  trial(): Promise<readonly Tried[]>;
  /** At our end: helpers end too, unless sandboxes go on, which they then go on to guard. Never rejects. */
  close(sandboxesGoOn: boolean): Promise<void>;
}

/** Builds controls and helpers; nothing is started before it is needed. */
export function startEnforcement(
  options: DaemonOptions & { readonly events: EventSink },
  install: Install,
  networks: NetworkControlOptions['networks'],
  tell: (notice: Notification) => void,
): Enforcement {
  const { engine, clock, logger, owner, onDemand } = options;
  const context: HelperContext = {
    engine,
    clock,
    logger,
    owner,
    stateDir: options.paths.stateDir,
    helpers: install.helpers,
    helperImage: install.helperImage,
    mode: (spec) => helperMode(spec, { onDemand, chosen: process.env['UCP_HELPER'] }),
  };
  const kernel = new Helper(KERNEL, context);
  const hold = new Helper(HOLD, context);
  const holding = new Holding(hold, logger);
  const tracer = new Helper(TRACE, context);
  const trace = new TraceControl({ helper: tracer, engine, events: options.events, logger, clock });
  const exec = new ExecControl({ helper: kernel, holding, engine, events: trace.attributing(options.events), logger });
  const net = new Helper(NET, context);
  let { config } = options.config;
  const resolver = nameResolver({ clock, servers: () => config.dns_servers });
  const events = withNotices(options.events, tell);
  const network = new NetworkControl({ helper: net, engine, resolver, events, logger, clock, networks });
  return {
    // The network first: while the other is proven, nothing of the image runs that could use it.
    controls: [network, exec, trace],
    trace,
    ready: async (policy, { networkConfig }) => {
      trace.ready(policy);
      await Promise.all([exec.ready(policy), network.ready(networkConfig)]);
    },
    trial: async () => tryHelpers([KERNEL, HOLD, NET, TRACE], context),
    configure: (changed) => {
      config = changed;
    },
    close: async (sandboxesGoOn) => {
      const helpers = [kernel, hold, net, tracer];
      const ended = helpers.map((helper) => (sandboxesGoOn ? helper.leave() : helper.stop()));
      for (const result of await Promise.allSettled(ended)) {
        if (result.status === 'fulfilled') continue;
        logger.warn('a helper was not ended', { cause: toUcpError(result.reason).message });
      }
      await trace.settled();
    },
  };
}
