import { egressBlock } from './egress.ts';
import type { LearntElement, NetworkFacts } from './facts.ts';
import { ingressBlock } from './ingress.ts';
import { markText, OBSERVED_ID, OPEN_INGRESS_ID } from './rule-id.ts';
import type { NetworkRuleSet } from './rules.ts';

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
/** What refused a connection: see {@link networkRuleset}. */
type Refusal = (typeof REFUSALS)[number];

/** Takes the table away: a sandbox without rules. */
export const NO_RULES = 'add table inet ucp\ndelete table inet ucp\n';

/**
 * The rules of one sandbox as nft text: one transaction that replaces the table. A connection is judged when it is new,
 * or when the rule that let it in is no longer in force; its mark is the id of that rule, and `live` has the ids in
 * force. Log prefixes are `ucp:<allow|deny|observe>:<out|in or what refused>`. Pure.
 */
export function networkRuleset(
  rules: NetworkRuleSet,
  facts: NetworkFacts,
  learnt: readonly LearntElement[] = [],
): string {
  if (!rules.config.mode.enabled) return NO_RULES;
  const observes = rules.config.mode.mode === 'observe';
  const egress = egressBlock(rules, facts, learnt);
  const ingress = ingressBlock(rules, facts);
  const live = [
    ...(observes ? [OBSERVED_ID] : []),
    ...(rules.ingress === undefined ? [OPEN_INGRESS_ID] : []),
    ...[...rules.byId.keys()].toSorted((left, right) => left - right),
  ].map(markText);
  const verdict = observes ? 'observe' : 'deny';
  return [
    NO_RULES.trimEnd(),
    'table inet ucp {',
    `  set live { type mark; counter;${live.length === 0 ? '' : ` elements = { ${live.join(', ')} }`} }`,
    ...[...egress.sets, ...ingress.sets].map((line) => `  ${line}`),
    ...['allow', verdict, 'cut'].map((name) => `  counter ${name} { }`),
    ...chain('dns', 'type nat hook output priority -110', [
      `meta mark ${HELPER_MARK} return`,
      `meta l4proto { tcp, udp } th dport 53 redirect to :${DNS_PORT}`,
    ]),
    ...chain('out', 'type filter hook output priority filter; policy drop', [
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
    ...chain('in', 'type filter hook input priority filter; policy drop', [
      'ct mark @live accept',
      'iifname "lo" accept',
      // What a cut connection still receives is answered, and the answer is reset on its way out.
      'ct direction reply meta l4proto tcp accept',
      'icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept',
      'ct direction reply drop',
      'goto ingress',
    ]),
    ...chain('egress', undefined, egress.rules),
    ...chain('ingress', undefined, ingress.rules),
    ...['out', 'in'].flatMap((way) =>
      chain(`allow_${way}`, undefined, [`counter name allow ${log(`allow:${way}`)} accept`]),
    ),
    ...REFUSALS.flatMap((reason) => chain(`refuse_${reason}`, undefined, refusal(verdict, reason))),
    ...chain('cut', undefined, ['counter name cut', ...REJECT]),
    '}',
    '',
  ].join('\n');
}

const REJECT = ['meta l4proto tcp reject with tcp reset', 'reject with icmpx admin-prohibited'];

/** The engine's own port is closed in observe mode too: names are asked where they are seen. */
function refusal(verdict: 'observe' | 'deny', reason: Refusal): readonly string[] {
  const said = `counter name ${verdict} ${log(`${verdict}:${reason}`)}`;
  return verdict === 'observe' && reason !== 'resolver'
    ? [`ct mark set ${markText(OBSERVED_ID)} ${said} accept`]
    : [said, ...REJECT];
}

function log(what: string): string {
  return `log prefix "ucp:${what}" group ${LOG_GROUP} snaplen ${SNAP} queue-threshold 1`;
}

function chain(name: string, hook: string | undefined, rules: readonly string[]): readonly string[] {
  return [
    `  chain ${name} {`,
    ...(hook === undefined ? [] : [`    ${hook};`]),
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}
