import { toUcpError, UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Logger } from '../../core/ports.ts';
import type { HelperLink } from '../helper/link.ts';
import type { ControlHelper } from './control-helper.ts';

/** What `ucp-kernel` says for `ucp-hold` to take, and `ucp-hold` for the next `ucp-kernel`: descriptors of a process. */
export type Handles = JsonObject;

/** How often a holder that dies in our hands is asked again. */
const ATTEMPTS = 3;

/**
 * The second owner of what the execs of enforced sandboxes wait at, so that nothing passes while there is no
 * `ucp-kernel`; see docs/adr/0009.
 */
export class Holding {
  readonly #helper: ControlHelper;
  readonly #logger: Logger;
  readonly #held = new Map<string, Handles>();

  constructor(helper: ControlHelper, logger: Logger) {
    this.#helper = helper;
    this.#logger = logger;
    helper.onRestart((link) => this.#restore(link));
  }

  /** Starts the holder where there is none. Rejects as {@link ControlHelper.link} does. */
  async ready(): Promise<void> {
    await this.#helper.link();
  }

  /** Has these held from now on, in place of what was held of the sandbox. */
  async hold(sandbox: string, handles: Handles): Promise<void> {
    if (JSON.stringify(this.#held.get(sandbox)) === JSON.stringify(handles)) return;
    this.#held.set(sandbox, handles);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await (await this.#helper.link()).request('hold', { sandbox, ...handles });
        return;
      } catch (thrown) {
        if (attempt === ATTEMPTS || !(thrown instanceof UcpError) || thrown.code !== 'HELPER_GONE') throw thrown;
      }
    }
  }

  /** Lets go of the sandbox, if anything of it is held. One that is being lost has let go of everything. */
  async release(sandbox: string): Promise<void> {
    this.#held.delete(sandbox);
    const link = await this.#helper.existing();
    await link?.request('release', { sandbox }).catch((thrown: unknown) => {
      if (!(thrown instanceof UcpError) || thrown.code !== 'HELPER_GONE') throw thrown;
    });
  }

  /** What is held of the sandbox, by whomever it was asked for; undefined: nothing. */
  async of(sandbox: string): Promise<Handles | undefined> {
    const link = await this.#helper.existing();
    if (link === undefined) return undefined;
    const { sandboxes } = await link.request('hello', { protocol: 1 });
    if (!Array.isArray(sandboxes)) return undefined;
    const [found] = sandboxes.flatMap((one) => (isHandles(one) && one['sandbox'] === sandbox ? [one] : []));
    if (found === undefined) return undefined;
    const { sandbox: _, ...handles } = found;
    return handles;
  }

  /** A new holder has nothing: it takes everything again from the `ucp-kernel` that lives. */
  async #restore(link: HelperLink): Promise<void> {
    for (const [sandbox, handles] of this.#held) {
      try {
        await link.request('hold', { sandbox, ...handles });
      } catch (thrown) {
        // That one died too; what its successor has is held when the rules are back.
        this.#logger.warn('a sandbox is not held', { sandbox, cause: toUcpError(thrown).message });
      }
    }
  }
}

/** Whether this may be handles: an object. */
export function isHandles(value: unknown): value is Handles {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
