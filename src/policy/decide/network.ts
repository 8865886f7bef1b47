import { UcpError } from '../../core/errors.ts';
import { inherit, type Mode } from '../schema/inherit.ts';
import type { EgressRule, IngressRule, NetworkConfig } from '../schema/network.ts';
import type { Policy } from '../schema/policy.ts';
import {
  type Address,
  CLOSED_RANGES,
  inRange,
  type NetworkRange,
  parseAddress,
  parseRange,
  within,
} from './address.ts';
import { type Decision, permitted, pointer, quoted, violated } from './decision.ts';
import { type Host, parseHost } from './host.ts';
import { portIn, type PortRule } from './ports.ts';

/** One destination or source of a rule. */
export interface Grant {
  readonly rule: string;
  readonly ports: readonly PortRule[];
  readonly protocol: 'tcp' | 'udp';
}
export interface RangeGrant extends Grant {
  readonly range: NetworkRange;
  /** The range lies in one that is closed unless named: so it names it. */
  readonly namesClosed: boolean;
}

/** A network configuration, ready to decide. */
export interface CompiledNetwork {
  readonly at: string;
  readonly mode: Mode;
  readonly names: ReadonlyMap<string, readonly Grant[]>;
  /** By what follows `*.`. */
  readonly wildcards: ReadonlyMap<string, readonly Grant[]>;
  readonly ranges: readonly RangeGrant[];
  /** Undefined: ingress is not restricted. */
  readonly ingress: readonly RangeGrant[] | undefined;
}

/** The configuration `name`. Throws NETWORK_CONFIG_UNKNOWN: a missing one is never an open one (PL-10). */
export function networkConfig({ network = {} }: Pick<Policy, 'network'>, name: string): NetworkConfig {
  const config = Object.hasOwn(network, name) ? network[name] : undefined;
  if (config !== undefined) return config;
  const names = Object.keys(network);
  throw new UcpError(
    'NETWORK_CONFIG_UNKNOWN',
    `There is no network config ${quoted(name)}; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}.`,
    { pointer: '/network', details: { names } },
  );
}

/** Prepares the configuration `name`. Throws NETWORK_CONFIG_UNKNOWN. */
export function compileNetwork(policy: Pick<Policy, 'network'>, name: string): CompiledNetwork {
  const config = networkConfig(policy, name);
  const at = pointer('network', name);
  const egress = (config.egress ?? []).flatMap((rule, index) => grants(rule, `${at}/egress/${index}`));
  return {
    at,
    mode: inherit([config]),
    names: byText(
      egress.filter(({ text }) => !text.startsWith('*.')),
      (text) => text,
    ),
    wildcards: byText(
      egress.filter(({ text }) => text.startsWith('*.')),
      (text) => text.slice(2),
    ),
    ranges: egress.flatMap(({ text, ...grant }) => rangeGrant(text, grant)),
    ingress: config.ingress?.flatMap((rule, index) => ingressGrants(rule, `${at}/ingress/${index}`)),
  };
}

type TextGrant = Grant & { readonly text: string };

function grants({ to, ports, protocol = 'tcp' }: EgressRule, at: string): readonly TextGrant[] {
  return to.map((text, index) => ({ rule: `${at}/to/${index}`, ports, protocol, text: text.toLowerCase() }));
}

function ingressGrants({ from, ports }: IngressRule, at: string): readonly RangeGrant[] {
  return from.flatMap((text, index) => rangeGrant(text, { rule: `${at}/from/${index}`, ports, protocol: 'tcp' }));
}

function rangeGrant(text: string, grant: Grant): readonly RangeGrant[] {
  const range = parseRange(text);
  if (range === undefined) return [];
  return [{ ...grant, range, namesClosed: CLOSED_RANGES.some((closed) => within(range, closed.range)) }];
}

function byText(found: readonly TextGrant[], key: (text: string) => string): ReadonlyMap<string, readonly Grant[]> {
  const map = new Map<string, Grant[]>();
  for (const { text, ...grant } of found) {
    const word = key(text);
    const known = map.get(word);
    if (known === undefined) map.set(word, [grant]);
    else known.push(grant);
  }
  return map;
}

/** A connection out of the sandbox. */
export interface EgressQuery {
  /** A name or an address, as the program wrote it. */
  readonly host: string;
  readonly port: number;
  /** Absent: tcp. */
  readonly protocol?: 'tcp' | 'udp' | undefined;
  /** What the name resolved to, when that is known: a name opens no closed range (DNS rebinding). */
  readonly address?: string | undefined;
}

/** Decides on a connection out of the sandbox. What no rule allows is refused; `rule` names what allowed or refused. */
export function decideEgress(compiled: CompiledNetwork, query: EgressQuery): Decision {
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  const host = parseHost(query.host);
  const target = `${quoted(query.host)}:${query.port}/${query.protocol ?? 'tcp'}`;
  const refuse = (what: string, remedy: string): Decision =>
    violated(mode, { rule: `${compiled.at}/egress`, what, brief: `the connection to ${target}`, remedy });
  if (host === undefined)
    return refuse(`${target} is not a host alone.`, 'Write a name or an address, nothing around it.');
  const grant = grantFor(compiled, host, query);
  const address = host.kind === 'address' ? host.address : parseAddress(query.address ?? '');
  const closed = address === undefined ? undefined : CLOSED_RANGES.find(({ range }) => inRange(address, range));
  if (grant === undefined)
    return refuse(`${target} is in no egress rule.`, 'Add the destination and its port to allow it.');
  if (closed !== undefined && address !== undefined && !opened(compiled, address, query)) {
    return refuse(
      `${target} is ${closed.what}, which is closed unless named.`,
      'Name the address or its network to allow it.',
    );
  }
  return { ...permitted(mode), rule: grant.rule };
}

function fits({ ports, protocol }: Grant, query: EgressQuery): boolean {
  return protocol === (query.protocol ?? 'tcp') && portIn(ports, query.port);
}

/** The first rule that covers the host and port. */
function grantFor(compiled: CompiledNetwork, host: Host, query: EgressQuery): Grant | undefined {
  if (host.kind === 'address') {
    return compiled.ranges.find((grant) => fits(grant, query) && inRange(host.address, grant.range));
  }
  const exact = compiled.names.get(host.name)?.find((grant) => fits(grant, query));
  if (exact !== undefined) return exact;
  for (let dot = host.name.indexOf('.'); dot >= 0; dot = host.name.indexOf('.', dot + 1)) {
    const found = compiled.wildcards.get(host.name.slice(dot + 1))?.find((grant) => fits(grant, query));
    if (found !== undefined) return found;
  }
  return grantForUnnamed(compiled, query);
}

/** A name that no rule has reaches what its address reaches; without one, what everybody's address does. */
function grantForUnnamed(compiled: CompiledNetwork, query: EgressQuery): Grant | undefined {
  const address = parseAddress(query.address ?? '');
  const covers = ({ range }: RangeGrant): boolean =>
    address === undefined ? range.prefix === 0 : inRange(address, range);
  if (!compiled.ranges.some(({ range }) => range.prefix === 0)) return undefined;
  return compiled.ranges.find((grant) => fits(grant, query) && covers(grant));
}

/** True when a rule names the address or a network inside the closed range it is in. */
function opened(compiled: CompiledNetwork, address: Address, query: EgressQuery): boolean {
  return compiled.ranges.some((grant) => grant.namesClosed && fits(grant, query) && inRange(address, grant.range));
}

/** A connection into the sandbox. */
export interface IngressQuery {
  /** Address of the peer. */
  readonly from: string;
  /** Port in the container. */
  readonly port: number;
}

/** Decides on a connection into the sandbox. Without the key `ingress` nothing is refused, with an empty one all is. */
export function decideIngress(compiled: CompiledNetwork, query: IngressQuery): Decision {
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  if (compiled.ingress === undefined) return permitted(mode);
  const address = parseAddress(query.from);
  const grant = compiled.ingress.find(
    ({ range, ports }) => address !== undefined && inRange(address, range) && portIn(ports, query.port),
  );
  if (grant !== undefined) return { ...permitted(mode), rule: grant.rule };
  return violated(mode, {
    rule: `${compiled.at}/ingress`,
    what: `Port ${query.port} is in no ingress rule for ${quoted(query.from)}.`,
    brief: `the connection from ${quoted(query.from)} to port ${query.port}`,
    remedy: 'Add the network and the port to allow it.',
  });
}
