import { egressBlock } from './egress.ts';
import type { NetworkFacts } from './facts.ts';
import { ingressBlock } from './ingress.ts';
import { markText, OBSERVED_ID, OPEN_INGRESS_ID } from './rule-id.ts';
import type { NetworkRuleSet } from './rules.ts';
import type { NftChain, NftTable } from './table.ts';

/** Where the helper listens inside the namespace; the same at every start, or open flows would miss it. */
const DNS_PORT = 5053;
/** Mark of the helper's own sockets; a workload can't set it. */
const HELPER_MARK = '0x55';
/** The engine's embedded resolver. */
const EMBEDDED = '127.0.0.11';
/** NFLOG group that the helper reads. */
const LOG_GROUP = 85;
/** Bytes of a packet that the helper needs: the headers. */
const SNAP = 96;

const REFUSALS = ['host', 'closed', 'rule', 'resolver', 'in'] as const;
/** What refused a connection: see {@link networkTable}. */
type Refusal = (typeof REFUSALS)[number];

/** How many packets of connections that are let out the kernel gathers before it wakes the helper, if 50 ms don't pass before. */
const GATHERED = 32;

/**
 * The rules of one sandbox; undefined: none. A connection is judged when it is new, or when the rule that let it in is no
 * longer in force; its mark is the id of that rule, and `live` has the ids in force. Log prefixes are
 * `ucp:<allow|deny|observe>:<out|in or what refused>`. Pure.
 */
export function networkTable(rules: NetworkRuleSet, facts: NetworkFacts): NftTable | undefined {
  if (!rules.config.mode.enabled) return undefined;
  const observes = rules.config.mode.mode === 'observe';
  const egress = egressBlock(rules, facts);
  const ingress = ingressBlock(rules, facts);
  const verdict = observes ? 'observe' : 'deny';
  return {
    sets: [
      { kind: 'set', name: 'live', spec: 'type mark; counter;', elements: liveIds(rules) },
      ...egress.sets,
      ...ingress.sets,
    ],
    counters: ['allow', verdict, 'cut'],
    chains: [
      chain('dns', 'type nat hook output priority -110', [
        `meta mark ${HELPER_MARK} return`,
        `meta l4proto { tcp, udp } th dport 53 redirect to :${DNS_PORT}`,
      ]),
      chain('out', 'type filter hook output priority filter; policy drop', [
        'ct mark @live accept',
        `meta mark ${HELPER_MARK} ip daddr ${EMBEDDED} accept`,
        `ip daddr 127.0.0.1 meta l4proto { tcp, udp } th dport ${DNS_PORT} accept`,
        `ip6 daddr ::1 meta l4proto { tcp, udp } th dport ${DNS_PORT} accept`,
        `ip daddr ${EMBEDDED} goto refuse_resolver`,
        'oifname "lo" accept',
        'ct direction reply goto cut',
        'icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report } accept',
        'goto egress',
      ]),
      chain('in', 'type filter hook input priority filter; policy drop', [
        'ct mark @live accept',
        'iifname "lo" accept',
        // What a cut connection still receives is answered, and the answer is reset on its way out.
        'ct direction reply meta l4proto tcp accept',
        'icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept',
        'ct direction reply drop',
        'goto ingress',
      ]),
      chain('egress', undefined, egress.rules),
      chain('ingress', undefined, ingress.rules),
      // A name may be learnt in the moment in which its rule goes; its address then opens nothing.
      chain('allow_out', undefined, ['ct mark != @live goto refuse_rule', allowed('out')]),
      chain('allow_in', undefined, [allowed('in')]),
      ...REFUSALS.map((reason) => chain(`refuse_${reason}`, undefined, refusal(verdict, reason))),
      chain('cut', undefined, ['counter name cut', ...REJECT]),
    ],
  };
}

const live = new WeakMap<NetworkRuleSet, readonly string[]>();

/** The same for all sandboxes under one configuration, and made once. */
function liveIds(rules: NetworkRuleSet): readonly string[] {
  const made =
    live.get(rules) ??
    [
      ...(rules.config.mode.mode === 'observe' ? [OBSERVED_ID] : []),
      ...(rules.ingress === undefined ? [OPEN_INGRESS_ID] : []),
      ...[...rules.byId.keys()].toSorted((left, right) => left - right),
    ].map(markText);
  live.set(rules, made);
  return made;
}

function allowed(way: 'out' | 'in'): string {
  return `counter name allow ${log(`allow:${way}`, GATHERED)} accept`;
}

const REJECT = ['meta l4proto tcp reject with tcp reset', 'reject with icmpx admin-prohibited'];

/** The engine's own port is closed in observe mode too: names are asked where they are seen. */
function refusal(verdict: 'observe' | 'deny', reason: Refusal): readonly string[] {
  const said = `counter name ${verdict} ${log(`${verdict}:${reason}`)}`;
  return verdict === 'observe' && reason !== 'resolver'
    ? [`ct mark set ${markText(OBSERVED_ID)} ${said} accept`]
    : [said, ...REJECT];
}

function log(what: string, gathered = 1): string {
  return `log prefix "ucp:${what}" group ${LOG_GROUP} snaplen ${SNAP} queue-threshold ${gathered}`;
}

function chain(name: string, hook: string | undefined, rules: readonly string[]): NftChain {
  return { name, hook, rules };
}
