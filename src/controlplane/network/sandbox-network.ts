import { createHash } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';
import type { ContainerNetwork } from '../../engine/engine.ts';
import type { NameRules } from '../../net/dns-port.ts';
import { learntText } from '../../net/egress.ts';
import type { NetworkFacts } from '../../net/facts.ts';
import { LearntAddresses } from '../../net/learnt.ts';
import { nameRules } from '../../net/name-rules.ts';
import type { NetworkRuleSet } from '../../net/rules.ts';
import { networkTable } from '../../net/ruleset.ts';
import { type NftTable, NO_TABLE, tableChange, tableText } from '../../net/table.ts';
import { decideEgress } from '../../policy/index.ts';
import type { NetworkEventContext } from './network-events.ts';

/** Destinations of one sandbox that are remembered, to close those that a policy takes away. */
const DESTINATIONS = 1_024;

/** The configuration of one start of a sandbox, put together. */
export interface NetworkState {
  readonly rules: NetworkRuleSet;
  readonly facts: NetworkFacts;
  readonly names: NameRules;
  /** Undefined: none, the configuration is switched off. */
  readonly table: NftTable | undefined;
  /** Number of rules and facts: the same for the same ones. */
  readonly fingerprint: number;
  readonly events: Omit<NetworkEventContext, 'nameOf' | 'ruleOf'>;
}

/** One start of a sandbox in its network: what is in force there, and what was learnt since. */
export class SandboxNetwork {
  readonly sandboxId: string;
  /** As the engine said it last, always of the same process. */
  network: ContainerNetwork;
  readonly learnt = new LearntAddresses();
  state: NetworkState;
  /** The kernel has the table of `state` for certain. */
  settled = false;
  readonly #destinations = new Map<string, { readonly address: string; readonly port: number }>();

  constructor(sandboxId: string, network: ContainerNetwork, state: NetworkState) {
    this.sandboxId = sandboxId;
    this.network = network;
    this.state = state;
  }

  /** What the helper needs to put the rules in force, whatever is there. `now` in monotonic milliseconds. */
  ruleset(now: number): { readonly generation: number; readonly rules: string } {
    const { rules, table, fingerprint } = this.state;
    const text =
      table === undefined ? NO_TABLE : tableText(table) + learntText(rules, this.learnt.valid(rules, now), false);
    return { generation: fingerprint, rules: text };
  }

  /** The same from what was in force `before`; undefined where only all of it will do. */
  change(before: NetworkState, now: number): ReturnType<SandboxNetwork['ruleset']> | undefined {
    const { rules, table, fingerprint } = this.state;
    if (!this.settled || before.table === undefined || table === undefined) return undefined;
    const text = tableChange(before.table, table);
    if (text === undefined) return undefined;
    // Under a rule that is gone nothing may stay in the maps of names.
    const gone = [...before.rules.byId.keys()].some((id) => !rules.byId.has(id));
    return {
      generation: fingerprint,
      rules: gone ? text + learntText(rules, this.learnt.valid(rules, now), true) : text,
    };
  }

  /** A TCP connection went out. */
  reached(address: string, port: number): void {
    const key = `${address} ${port}`;
    this.#destinations.delete(key);
    const oldest = this.#destinations.keys().next().value;
    if (this.#destinations.size >= DESTINATIONS && oldest !== undefined) this.#destinations.delete(oldest);
    this.#destinations.set(key, { address, port });
  }

  /** JSON pointer of the rule that lets out to a destination, now and as far as names were asked here. */
  ruleOf(address: string, port: number, protocol: string): string | undefined {
    const { rules } = this.state;
    if (protocol !== 'tcp' && protocol !== 'udp') return undefined;
    const { allowed, rule } = decideEgress(rules.config, { host: address, port, protocol });
    if (allowed && rule !== undefined) return rule;
    const learnt = this.learnt.rulesOf(address).flatMap((id) => rules.byId.get(id) ?? []);
    return learnt.find(
      (found) => found.protocol === protocol && found.ports.some(({ from, to }) => port >= from && port <= to),
    )?.pointer;
  }

  /** Destinations that were reached and that the rules of now let nobody reach; they are forgotten. */
  takenAway(): readonly { readonly address: string; readonly port: number }[] {
    const { mode } = this.state.rules.config;
    const observes = !mode.enabled || mode.mode === 'observe';
    const gone = observes
      ? []
      : [...this.#destinations].filter(([, { address, port }]) => this.ruleOf(address, port, 'tcp') === undefined);
    for (const [key] of gone) this.#destinations.delete(key);
    return gone.map(([, destination]) => destination);
  }
}

/** Puts a configuration and what is known of a start together. Pure. */
export function networkState(rules: NetworkRuleSet, facts: NetworkFacts, events: NetworkState['events']): NetworkState {
  const table = networkTable(rules, facts);
  const text = table === undefined ? NO_TABLE : tableText(table);
  const fingerprint = createHash('sha256').update(text).digest().readUIntBE(0, 6);
  return { rules, facts, names: nameRules(rules, facts), table, fingerprint, events };
}

/** Throws INGRESS_UNREACHABLE for sources that the sandbox's network can't have. */
export function assertReachable({ ingress }: NetworkRuleSet, { addresses }: ContainerNetwork): void {
  if (addresses.some((address) => address.includes(':'))) return;
  const six = ingress?.find(({ range }) => range.family === 6 && range.prefix > 0);
  if (six === undefined) return;
  throw new UcpError(
    'INGRESS_UNREACHABLE',
    `${six.pointer} lets in an IPv6 network, but the sandbox's network has no IPv6: IPv6 clients can't be told apart there. Join a network that has it, or leave the rule out.`,
    { pointer: six.pointer },
  );
}
