import { toUcpError } from '../core/errors.ts';
import type { DaemonOptions } from './daemon.ts';
import { ExecControl } from './exec/exec-control.ts';
import { Helper } from './helper/helper.ts';
import { helperMode } from './helper/mode.ts';
import type { HelperContext, HelperSpec } from './helper/spec.ts';
import type { Install } from './install.ts';
import type { LoadedPolicy } from './policy/loaded-policy.ts';
import type { SandboxControl } from './sandboxes/control.ts';

/** fanotify; other processes' roots and namespaces; directories of other users. */
const KERNEL: HelperSpec = { program: 'ucp-kernel', capabilities: ['SYS_ADMIN', 'SYS_PTRACE', 'DAC_READ_SEARCH'] };

/** What the host puts in force around sandboxes, with the helpers that it needs rights from. */
export interface Enforcement {
  readonly controls: readonly SandboxControl[];
  /** Looks, before a run is decided, whether what `policy` asks for can be put in force here. */
  ready(policy: LoadedPolicy): Promise<void>;
  /** At our end: helpers end too, unless sandboxes go on, which they then go on to guard. Never rejects. */
  close(sandboxesGoOn: boolean): Promise<void>;
}

/** Builds controls and helpers; nothing is started before it is needed. */
export function startEnforcement(options: DaemonOptions, install: Install): Enforcement {
  const { engine, clock, logger, owner, onDemand, telemetry } = options;
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
  const exec = new ExecControl({ helper: kernel, engine, events: telemetry, logger });
  return {
    controls: [exec],
    ready: (policy) => exec.ready(policy),
    close: async (sandboxesGoOn) => {
      await (sandboxesGoOn ? kernel.leave() : kernel.stop()).catch((thrown: unknown) => {
        logger.warn('a helper was not ended', { cause: toUcpError(thrown).message });
      });
    },
  };
}
