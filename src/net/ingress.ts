import { inRange, type NetworkRange, parseAddress } from '../policy/index.ts';
import { ranges } from './addresses.ts';
import { hostAddresses, isExact } from './egress.ts';
import type { NetworkFacts, PublishedPort } from './facts.ts';
import { addressSets, type Block, rangeBlock, unmarked } from './groups.ts';
import { onlyPorts, withoutPorts } from './port-spans.ts';
import { markText, OPEN_INGRESS_ID } from './rule-id.ts';
import type { NetworkRuleSet, RangeRule } from './rules.ts';

const LOOPBACKS = ['127.0.0.1', '::1'].flatMap((text) => parseAddress(text) ?? []);

/** `0.0.0.0/0` or `::/0`. */
export function isEveryone({ range }: RangeRule): boolean {
  return range.prefix === 0;
}

/** The rule lets in connections that the host itself makes to a port of its loopback address. */
export function namesHost(rule: RangeRule, hosts: readonly string[]): boolean {
  if (LOOPBACKS.some((address) => inRange(address, rule.range))) return true;
  return isExact(rule) && ranges(hosts).some((host) => sameRange(host, rule.range));
}

function sameRange(left: NetworkRange, right: NetworkRange): boolean {
  return left.prefix === right.prefix && inRange(left, right);
}

/** A port that only the host itself can reach. */
export function isLoopback({ address }: Pick<PublishedPort, 'address'>): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && (parsed.family === 4 ? parsed.bytes[0] === 127 : inRange(parsed, LOOPBACK6));
}
const LOOPBACK6: NetworkRange = { family: 6, bytes: [...Array.from({ length: 15 }, () => 0), 1], prefix: 128 };

/**
 * Addresses that stand for whoever connects to a published port. The engine's proxy connects from the gateway; over IPv6
 * from another address of the host while the network is so new that its gateway's address is still being tried out.
 */
function standIns({ gateways, hostAddresses: all }: NetworkFacts): readonly string[] {
  return [...new Set([...gateways, ...all.filter((address) => address.includes(':'))])];
}

/**
 * Judges a new connection into the sandbox. The bridge's gateway as source stands for the host, an IPv6 client or
 * another container, so it counts as the host only on ports that nobody else can reach that way, and as anybody where a
 * rule lets in everybody; what `from` names is judged by its own address. Pure.
 */
export function ingressBlock(rules: NetworkRuleSet, facts: NetworkFacts): Block {
  if (rules.ingress === undefined) {
    return { sets: [], rules: [`ct mark set ${markText(OPEN_INGRESS_ID)} goto allow_in`] };
  }
  const wide = [...new Set(facts.ports.filter((port) => !isLoopback(port)).map(({ containerPort }) => containerPort))];
  const hosts = hostAddresses(facts);
  const gateways = ranges(standIns(facts));
  const reached = rules.ingress.map((rule) => ({ ...rule, ports: onlyPorts(rule.ports, wide) }));
  const local = rules.ingress.map((rule) => ({ ...rule, ports: withoutPorts(rule.ports, wide) }));
  const fromHost = local
    .filter((rule) => namesHost(rule, hosts))
    .flatMap((rule) => gateways.map((range) => ({ ...rule, range })));
  const named = local.filter(({ namesClosed }) => namesClosed);
  const blocks = [
    rangeBlock('anybody', reached.filter(isEveryone), 'saddr', 'allow_in'),
    rangeBlock('fromhost', fromHost, 'saddr', 'allow_in'),
    addressSets('gateway', unmarked(gateways), ({ word }, set) => `${word} saddr @${set} goto refuse_in`),
    rangeBlock('from', [...reached.filter((rule) => !isEveryone(rule)), ...named], 'saddr', 'allow_in'),
  ];
  return {
    sets: blocks.flatMap(({ sets }) => sets),
    rules: [...blocks.flatMap((block) => block.rules), 'goto refuse_in'],
  };
}
