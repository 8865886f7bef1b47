import { isDeepStrictEqual } from 'node:util';

import type { EventSink } from '../core/events.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { MAX_POLICY_BYTES } from '../policy/index.ts';
import { parseLocation } from './config/location.ts';
import type { Config } from './config/schema.ts';
import { type Install, readInstalled } from './install.ts';
import { type LoaderSettings, PolicyLoader } from './loader/loader.ts';
import { PolicyStore } from './loader/policy-store.ts';
import { Poller, type PollerSettings } from './loader/poller.ts';
import type { LoadedPolicy } from './policy/loaded-policy.ts';
import { builtInPolicy, Policies } from './policy/policies.ts';
import { policySource } from './source/from-config.ts';

/** Seconds between checks where no source is configured: only expiry is looked at. */
const DEFAULT_INTERVAL = 300;

export interface PolicyPartOptions {
  readonly config: Config;
  readonly stateDir: string;
  readonly install: Install;
  readonly onDemand: boolean;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly logger: Logger;
  apply(policy: LoadedPolicy): Promise<void>;
}

/** Everything that knows which policy is in force. */
export interface PolicyPart {
  readonly store: PolicyStore;
  readonly loader: PolicyLoader;
  readonly poller: Poller;
  readonly policies: Policies;
  /** Takes a changed configuration; the next check goes by it. Rejects, and changes nothing, where that is impossible. */
  configure(config: Config): Promise<void>;
  /** Resolves when runs may be decided: on a cold start after the first check, so that no run slips in before it. */
  readonly ready: Promise<void>;
}

/** Builds loader, poller and store, and begins: persisted policy or default at once, then the first check. */
export function startPolicyPart(options: PolicyPartOptions): PolicyPart {
  const { clock, events, logger } = options;
  let { config } = options;
  const store = new PolicyStore(options.stateDir, logger);
  const loader = new PolicyLoader({
    ...loaderSettings(config, options),
    store,
    clock,
    events,
    logger,
    apply: (policy) => options.apply(policy),
  });
  const poller = new Poller({ ...pollerSettings(config), loader, clock, events, random: Math.random });
  const ready = begin(loader, poller);
  const generations = new Map<string, number>();
  const policies = new Policies({
    onDemand: options.onDemand,
    defaultKey: () => localKey(config),
    inForce: async () => {
      await ready;
      return loader.inForce;
    },
    generationOf: (digest) => {
      const known = generations.get(digest) ?? store.generationOf(digest);
      generations.set(digest, known);
      return known;
    },
  });
  const configure = async (changed: Config): Promise<void> => {
    await ready;
    const same = isDeepStrictEqual([changed.ucpcm, changed.edition], [config.ucpcm, config.edition]);
    // What is in force would be loaded and reported again for nothing.
    if (!same) await loader.configure(loaderSettings(changed, options));
    config = changed;
    poller.configure(pollerSettings(changed));
  };
  return { store, loader, poller, policies, ready, configure };
}

/** What a configuration means to the loader. Throws CONFIG_INVALID, INSTALL_INCOMPLETE. */
function loaderSettings(
  { ucpcm, edition }: Config,
  { clock, install }: Pick<PolicyPartOptions, 'clock' | 'install'>,
): LoaderSettings {
  return {
    source: ucpcm === undefined ? undefined : policySource(ucpcm, clock),
    builtIn: builtInPolicy(readInstalled(install.defaultPolicy(edition))),
    pin: ucpcm?.public_key_sha256,
    maxBytes: ucpcm?.max_policy_bytes ?? MAX_POLICY_BYTES,
    interval: ucpcm?.poll_interval ?? DEFAULT_INTERVAL,
  };
}

function pollerSettings({ ucpcm }: Config): PollerSettings {
  return { interval: ucpcm?.poll_interval ?? DEFAULT_INTERVAL, maxStaleness: ucpcm?.max_staleness };
}

async function begin(loader: PolicyLoader, poller: Poller): Promise<void> {
  await loader.start();
  const checked = poller.check();
  if (loader.startupState === 'ColdStartup') await checked;
}

/** The configured public key, where it is a file of this host. */
function localKey({ ucpcm }: Config): string | undefined {
  const location = ucpcm === undefined ? undefined : parseLocation(ucpcm.public_key);
  return location?.kind === 'file' ? location.path : undefined;
}
