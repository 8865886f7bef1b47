import { toErrorRecord, toUcpError } from '../../core/errors.ts';
import type { NewEvent } from '../../core/events.ts';
import type { Logger } from '../../core/ports.ts';
import type { Telemetry } from '../../telemetry/index.ts';
import type { Enforcement } from '../enforcement.ts';
import type { LoadOutcome } from '../loader/loader.ts';
import type { PolicyPart } from '../policy-part.ts';
import type { LoadedConfig } from './load-config.ts';

export interface LiveConfigOptions {
  readonly config: LoadedConfig;
  /** Reads the configuration from where it comes from, now. */
  readonly read: () => Promise<LoadedConfig>;
  readonly policyPart: Pick<PolicyPart, 'configure' | 'poller'>;
  readonly enforcement: Pick<Enforcement, 'configure'>;
  readonly telemetry: Pick<Telemetry, 'emit' | 'setTarget'>;
  readonly logger: Logger;
}

/** The configuration in force, which can be read again without a restart. */
export class LiveConfig {
  readonly #options: LiveConfigOptions;
  #loaded: LoadedConfig;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: LiveConfigOptions) {
    this.#options = options;
    this.#loaded = options.config;
  }

  get loaded(): LoadedConfig {
    return this.#loaded;
  }

  /**
   * Reads it again and puts it in force, whole or not at all; what the check that follows led to. Rejects with what is
   * wrong with it (CONFIG_INVALID, FILE_UNREADABLE, POLICY_SOURCE_ and so on): then the old one goes on.
   */
  reload(): Promise<LoadOutcome> {
    const reloaded = this.#queue.then(() => this.#reload());
    this.#queue = reloaded.catch(() => undefined);
    return reloaded;
  }

  async #reload(): Promise<LoadOutcome> {
    const { read, policyPart, enforcement, telemetry, logger } = this.#options;
    try {
      const next = await read();
      await policyPart.configure(next.config);
      enforcement.configure(next.config);
      const { event_url: eventUrl, event_headers: headers } = next.config;
      telemetry.setTarget(eventUrl === undefined ? undefined : { eventUrl, ...(headers && { headers }) });
      this.#loaded = next;
    } catch (thrown) {
      const { code, message } = toErrorRecord(toUcpError(thrown));
      logger.error('the configuration is not taken, the old one goes on', { code, cause: message });
      telemetry.emit(configEvent('config_rejected', { config: this.#loaded.from, error: { code, message } }));
      throw thrown;
    }
    logger.info('the configuration was read again', { config: this.#loaded.from });
    telemetry.emit(configEvent('config_reloaded', { config: this.#loaded.from }));
    return policyPart.poller.check();
  }
}

function configEvent(name: 'config_reloaded' | 'config_rejected', body: NewEvent['body']): NewEvent {
  const severity = name === 'config_rejected' ? 'WARN' : 'INFO';
  return { name, domain: 'pcm', severity, class: 'critical', scope: 'policy_control_manager', body };
}
