import { type CompiledNetwork, type Grant, type NetworkRange, parseRange, type RangeGrant } from '../policy/index.ts';
import { rangeText } from './addresses.ts';
import { type PortSpan, portSpans, spansText } from './port-spans.ts';
import { RuleIds } from './rule-id.ts';

/** One destination or source of one rule, with the number that marks its connections. */
export interface Rule {
  readonly id: number;
  /** JSON pointer. */
  readonly pointer: string;
  readonly protocol: 'tcp' | 'udp';
  readonly ports: readonly PortSpan[];
}

/** A rule for addresses. */
export interface RangeRule extends Rule {
  readonly range: NetworkRange;
  /** The range lies in one that is closed unless named. */
  readonly namesClosed: boolean;
}

/** A network configuration with an id for each of its rules. */
export interface NetworkRuleSet {
  readonly config: CompiledNetwork;
  readonly names: ReadonlyMap<string, readonly Rule[]>;
  /** By what follows `*.`. */
  readonly wildcards: ReadonlyMap<string, readonly Rule[]>;
  readonly ranges: readonly RangeRule[];
  /** Undefined: ingress is not restricted. */
  readonly ingress: readonly RangeRule[] | undefined;
  readonly byId: ReadonlyMap<number, Rule>;
}

/** Ports of one list, read once for all destinations beside it. */
interface Ports {
  readonly spans: readonly PortSpan[];
  readonly text: string;
}

/** DNS over TLS: opened only by a rule that writes this port by itself, never by a range around it. */
const DNS_OVER_TLS = 853;

/** Gives the rules of a configuration their ids. Pure. */
export function networkRules(config: CompiledNetwork): NetworkRuleSet {
  const ids = new RuleIds();
  const byId = new Map<number, Rule>();
  const known = { in: new Map<Grant['ports'], Ports>(), out: new Map<Grant['ports'], Ports>() };
  const portsOf = (direction: 'in' | 'out', written: Grant['ports']): Ports => {
    const found = known[direction].get(written);
    if (found !== undefined) return found;
    const spans = direction === 'out' ? withoutImplied(written) : portSpans(written);
    const made = { spans, text: spansText(spans) };
    known[direction].set(written, made);
    return made;
  };
  const ruleOf = (direction: 'in' | 'out', what: string, grant: Grant): Rule => {
    const { spans: ports, text } = portsOf(direction, grant.ports);
    const id = ids.of(`${direction} ${grant.protocol} ${what} ${text}`);
    const rule = { id, pointer: grant.rule, protocol: grant.protocol, ports };
    if (!byId.has(id)) byId.set(id, rule);
    return rule;
  };
  const named = (grants: CompiledNetwork['names'], prefix: string): NetworkRuleSet['names'] =>
    new Map(
      [...grants]
        .filter(([name]) => parseRange(name) === undefined)
        .map(([name, all]) => [name, all.map((grant) => ruleOf('out', `${prefix}${name}`, grant))]),
    );
  const ranged =
    (direction: 'in' | 'out') =>
    (grant: RangeGrant): RangeRule => ({
      ...ruleOf(direction, rangeText(grant.range), grant),
      range: grant.range,
      namesClosed: grant.namesClosed,
    });
  return {
    config,
    names: named(config.names, ''),
    wildcards: named(config.wildcards, '*.'),
    ranges: config.ranges.map(ranged('out')),
    ingress: config.ingress?.map(ranged('in')),
    byId,
  };
}

function withoutImplied(ports: readonly (number | string)[]): readonly PortSpan[] {
  const single = ports.filter((port) => portSpans([port]).every(({ from, to }) => from === to));
  const wide = portSpans(ports.filter((port) => !single.includes(port))).flatMap(({ from, to }) =>
    from <= DNS_OVER_TLS && to >= DNS_OVER_TLS
      ? [`${from}-${DNS_OVER_TLS - 1}`, `${DNS_OVER_TLS + 1}-${to}`]
      : [`${from}-${to}`],
  );
  return portSpans([...single, ...wide.filter((text) => portSpans([text]).every(({ from, to }) => from <= to))]);
}

/** Rules for `name` (lower case, no dot at its end): exact ones, and wildcards over what is below them. */
export function rulesForName(rules: NetworkRuleSet, name: string): readonly Rule[] {
  const found = [...(rules.names.get(name) ?? [])];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    found.push(...(rules.wildcards.get(name.slice(dot + 1)) ?? []));
  }
  return found;
}
