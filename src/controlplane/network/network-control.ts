import { networkInterfaces } from 'node:os';

import { toUcpError, UcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import type { ContainerNetwork, Engine } from '../../engine/engine.ts';
import type { NameResolver } from '../../net/dns-port.ts';
import { networkRules, type NetworkRuleSet } from '../../net/rules.ts';
import { compileNetwork, type Network, type Policy } from '../../policy/index.ts';
import type { HelperLink } from '../helper/link.ts';
import type { ControlledSandbox, SandboxControl } from '../sandboxes/control.ts';
import { packetEvent, packetLossEvent, unobservedEvent } from './network-events.ts';
import { loggedPacket } from './packet.ts';
import { Questions } from './questions.ts';
import { assertReachable, type NetworkState, networkState, SandboxNetwork } from './sandbox-network.ts';

/** As much of a helper as is needed here. */
interface NetworkHelper {
  link(): Promise<HelperLink>;
  /** The connection to one that lives already, also of an earlier control plane; none is started. */
  existing(): Promise<HelperLink | undefined>;
  onEvent(listener: (event: JsonObject) => void): void;
  onRestart(listener: (link: HelperLink) => Promise<void>): void;
}

export interface NetworkControlOptions {
  readonly helper: NetworkHelper;
  readonly engine: Pick<Engine, 'network'>;
  readonly resolver: NameResolver;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The configurations that a run under this policy may name. */
  networks(policy: Policy): Network;
}

/** Everything closed: what a sandbox is under whose configuration the policy no longer has. */
const CLOSED = { remediate: true, egress: [], ingress: [] };

/** Network configurations, in the network namespace of each sandbox; see docs/network.md. */
export class NetworkControl implements SandboxControl {
  readonly name = 'network';
  readonly #options: NetworkControlOptions;
  readonly #attached = new Map<string, SandboxNetwork>();
  /** Ends of starts that are still to be told of, though the next start is attached. */
  readonly #overdue = new Map<string, number>();
  /** The last change of each sandbox: changes of one are made one after the other. */
  readonly #turns = new Map<string, Promise<void>>();
  readonly #questions: Questions;
  /** The rules of a policy's configurations, made once for all sandboxes under them. */
  readonly #rules = new WeakMap<Policy, Map<string, NetworkRuleSet>>();
  #absence: string | undefined;

  constructor(options: NetworkControlOptions) {
    this.#options = options;
    this.#questions = new Questions(options);
    options.helper.onEvent((said) => this.#hear(said));
    options.helper.onRestart((link) => this.#restore(link));
  }

  /** Why network rules can't be put in force here, as far as is known. */
  get absence(): string | undefined {
    return this.#absence;
  }

  /** Starts the helper for a run that names a configuration, so that it is refused before anything is made. */
  async ready(networkConfig: string | undefined): Promise<void> {
    if (networkConfig === undefined) return;
    try {
      await this.#options.helper.link();
      this.#absence = undefined;
    } catch (thrown) {
      this.#absence = toUcpError(thrown).message;
    }
  }

  async apply(sandbox: ControlledSandbox): Promise<void> {
    const { sandboxId, request } = sandbox.record;
    const config = request.networkConfig;
    if (config === undefined) return;
    await this.#inTurn(sandboxId, async () => {
      const rules = this.#rulesOf(sandbox.policy.policy, config);
      try {
        await this.#put(sandbox, config, rules);
      } catch (thrown) {
        const { enabled, mode } = rules.config.mode;
        if (enabled && mode === 'enforce') throw thrown;
        const cause = toUcpError(thrown).message;
        this.#options.logger.warn('network rules are not observed', { sandbox: sandboxId, cause });
        this.#options.events.emit(unobservedEvent(cause, contextOf(sandbox, config, rules)));
      }
    });
  }

  inForce(sandboxId: string): boolean {
    return this.#attached.get(sandboxId)?.state.rules.config.mode.enabled === true;
  }

  async networksChanged(sandboxId: string, containerId: string): Promise<void> {
    await this.#inTurn(sandboxId, async () => {
      const attached = this.#attached.get(sandboxId);
      if (attached === undefined) return;
      const network = await this.#options.engine.network(containerId);
      // Of a start that is over, or of one that is still to be attached.
      if (network?.pid !== attached.network.pid) return;
      const { rules, events } = attached.state;
      await this.#change(attached, network, networkState(rules, factsOf(network), events));
    });
  }

  async release(sandboxId: string): Promise<void> {
    await this.#inTurn(sandboxId, async () => {
      const overdue = this.#overdue.get(sandboxId) ?? 0;
      if (overdue > 0) {
        this.#overdue.set(sandboxId, overdue - 1);
        return;
      }
      const attached = this.#attached.get(sandboxId);
      if (attached === undefined) return;
      const link = await this.#options.helper.existing();
      // One that the helper doesn't know has ended there, too. What it logged last is told of before the answer.
      await link?.request('detach', { sandbox: sandboxId }).catch(() => undefined);
      this.#forget(attached);
    });
  }

  async #put(sandbox: ControlledSandbox, config: string, rules: NetworkRuleSet): Promise<void> {
    const { record, containerId } = sandbox;
    const { sandboxId } = record;
    const network = containerId === undefined ? undefined : await this.#options.engine.network(containerId);
    if (network === undefined || network.pid === 0) {
      throw new UcpError('KERNEL_PROCESS_UNKNOWN', 'The engine knows no process of this sandbox.');
    }
    const state = networkState(rules, factsOf(network), contextOf(sandbox, config, rules));
    const known = this.#attached.get(sandboxId);
    if (known?.network.pid === network.pid) {
      await this.#change(known, network, state);
      return;
    }
    if (known !== undefined) {
      this.#forget(known);
      this.#overdue.set(sandboxId, (this.#overdue.get(sandboxId) ?? 0) + 1);
    }
    await this.#attach(new SandboxNetwork(sandboxId, network, state));
  }

  /** A start, or a workload that runs since before this control plane. */
  async #attach(attached: SandboxNetwork): Promise<void> {
    const { sandboxId, network, state } = attached;
    assertReachable(state.rules, network);
    const link = await this.#options.helper.link();
    this.#attached.set(sandboxId, attached);
    // The very same rules are in force already, with all that was learnt: an earlier control plane's.
    attached.settled = isThere(link, attached);
    if (attached.settled) return;
    try {
      await this.#attachOver(link, attached);
    } catch (thrown) {
      this.#attached.delete(sandboxId);
      throw thrown;
    }
  }

  async #change(attached: SandboxNetwork, network: ContainerNetwork, state: NetworkState): Promise<void> {
    const before = attached.state;
    attached.network = network;
    if (before.fingerprint === state.fingerprint) {
      attached.state = state;
      return;
    }
    attached.state = state;
    try {
      await this.#update(await this.#options.helper.link(), attached, before);
      attached.settled = true;
    } catch (thrown) {
      attached.state = before;
      attached.settled = false;
      throw thrown;
    }
  }

  /** By what differs; where the kernel has something else than we think, by all of it. */
  async #update(link: HelperLink, attached: SandboxNetwork, before: NetworkState): Promise<void> {
    const { clock, logger } = this.#options;
    const sandbox = attached.sandboxId;
    const change = attached.change(before, clock.monotonic());
    const destroy = attached.takenAway().map(({ address, port }) => ({ address, port }));
    if (change !== undefined) {
      try {
        await link.request('update', { sandbox, ...change, destroy });
        return;
      } catch (thrown) {
        if (toUcpError(thrown).code !== 'NET_RULES_REFUSED') throw thrown;
        logger.warn('network rules are replaced as a whole', { sandbox, cause: toUcpError(thrown).message });
      }
    }
    await link.request('update', { sandbox, ...attached.ruleset(clock.monotonic()), destroy });
  }

  async #attachOver(link: HelperLink, attached: SandboxNetwork): Promise<void> {
    const { sandboxId, network } = attached;
    const ruleset = attached.ruleset(this.#options.clock.monotonic());
    attached.settled = false;
    await link.request('attach', { sandbox: sandboxId, pid: network.pid, ...ruleset });
    attached.settled = true;
  }

  #forget(attached: SandboxNetwork): void {
    this.#attached.delete(attached.sandboxId);
    this.#questions.forget(attached);
  }

  /** After the helper died: the rules are in the kernel, but nobody answers names or tells of packets. */
  async #restore(link: HelperLink): Promise<void> {
    for (const sandboxId of this.#attached.keys()) {
      await this.#inTurn(sandboxId, async () => {
        const attached = this.#attached.get(sandboxId);
        if (attached === undefined || isThere(link, attached)) return;
        await this.#attachOver(link, attached).catch((thrown: unknown) => {
          if (!link.open) throw thrown;
          // It ended meanwhile, and its end is on its way to us; or it stays closed.
          this.#options.logger.error('network rules of a sandbox were not taken up again', {
            sandbox: sandboxId,
            cause: toUcpError(thrown).message,
          });
        });
      });
    }
  }

  #rulesOf(policy: Policy, name: string): NetworkRuleSet {
    const known = this.#rules.get(policy)?.get(name);
    if (known !== undefined) return known;
    const network = this.#options.networks(policy);
    const there = Object.hasOwn(network, name);
    const rules = networkRules(compileNetwork({ network: there ? network : { [name]: CLOSED } }, name));
    this.#rules.set(policy, (this.#rules.get(policy) ?? new Map<string, NetworkRuleSet>()).set(name, rules));
    return rules;
  }

  #hear(said: JsonObject): void {
    const attached = typeof said['sandbox'] === 'string' ? this.#attached.get(said['sandbox']) : undefined;
    if (said['event'] === 'dns_query') void this.#questions.ask(said, attached);
    if (attached === undefined) return;
    const { events } = attached.state;
    if (said['event'] === 'packets_lost' && typeof said['count'] === 'number') {
      this.#options.events.emit(packetLossEvent(said['count'], events.sandbox));
    }
    const packet = said['event'] === 'packet' ? loggedPacket(said) : undefined;
    if (packet === undefined) return;
    if (packet.verdict === 'allow' && !packet.inward) attached.reached(packet.peer, packet.port);
    const nameOf = (address: string): string | undefined => attached.learnt.nameOf(address);
    const ruleOf = attached.ruleOf.bind(attached);
    this.#options.events.emit(packetEvent(packet, { ...events, nameOf, ruleOf }));
  }

  #inTurn(sandboxId: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(sandboxId) ?? Promise.resolve()).catch(() => undefined).then(work);
    this.#turns.set(sandboxId, turn);
    const forget = (): void => {
      if (this.#turns.get(sandboxId) === turn) this.#turns.delete(sandboxId);
    };
    turn.then(forget, forget);
    return turn;
  }
}

function contextOf(
  { record, containerId, policy }: ControlledSandbox,
  config: string,
  { config: { at, mode } }: NetworkRuleSet,
): NetworkState['events'] {
  const { sandboxId, name } = record;
  const container = containerId === undefined ? {} : { container_id: containerId };
  return { sandbox: { sandbox_id: sandboxId, name, ...container }, policy: policy.ref, config, at, mode: mode.mode };
}

/** The helper has this sandbox with these rules. */
function isThere({ greeting }: HelperLink, { sandboxId, network, state }: SandboxNetwork): boolean {
  const { sandboxes } = greeting;
  if (!Array.isArray(sandboxes)) return false;
  return sandboxes.some(
    (there: JsonObject) =>
      there['sandbox'] === sandboxId && there['pid'] === network.pid && there['generation'] === state.fingerprint,
  );
}

function factsOf(network: ContainerNetwork): NetworkState['facts'] {
  const hostAddresses = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal).map(({ address }) => address),
  );
  return { ...network, hostAddresses };
}
