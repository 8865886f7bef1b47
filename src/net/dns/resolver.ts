import type { Clock } from '../../core/ports.ts';
import type { NameAnswer, NameQuery, NameResolver } from '../dns-port.ts';
import { Bounds } from './bounds.ts';
import { follow } from './chain.ts';
import { EXTENDED, RCODE } from './codec.ts';
import { hostServers } from './host-servers.ts';
import { judge } from './judge.ts';
import { admit } from './learn.ts';
import { LocalQuestions } from './local.ts';
import { type DnsQuery, readQuery } from './query.ts';
import { type Reply, writeReply } from './reply.ts';
import { type Upstream, upstream as network } from './upstream.ts';
import type { UpstreamAnswer } from './upstream-packet.ts';

/** What the resolver needs from its surroundings. */
export interface NameResolverContext {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly upstream?: Upstream;
  /** Resolvers that the operator names; undefined: the container's own, else the host's. */
  readonly servers?: () => readonly string[] | undefined;
}

type Outcome = Reply & Pick<NameAnswer, 'learnt' | 'refused'>;

/**
 * The policy's resolver. A name that no rule names is answered NXDOMAIN at once and never leaves the host: of all codes
 * that is the one which every client takes as final (musl waits 5 s after REFUSED, glibc asks again after SERVFAIL).
 * What is too much is REFUSED, what no resolver answers SERVFAIL; a permitted name without a permitted address has none.
 */
export function nameResolver({ clock, upstream = network(), servers }: NameResolverContext): NameResolver {
  return new PolicyResolver({ clock, upstream, servers: servers ?? (() => undefined) });
}

class PolicyResolver implements NameResolver {
  readonly #context: Required<NameResolverContext>;
  readonly #bounds = new Map<string, Bounds>();
  readonly #local = new LocalQuestions();

  constructor(context: Required<NameResolverContext>) {
    this.#context = context;
  }

  async answer(asked: NameQuery): Promise<NameAnswer> {
    const read = readQuery(asked.packet);
    if (read.kind !== 'query') {
      return { packet: read.kind === 'reply' ? read.packet : undefined, learnt: [], name: undefined };
    }
    const { query } = read;
    const { learnt, refused, ...reply } = await this.#outcome(asked, query).catch(() => failed);
    return {
      packet: written(query, reply, asked.transport),
      learnt,
      name: query.name,
      type: query.type.replace('UNKNOWN_', 'TYPE'),
      ...(refused === undefined ? {} : { refused }),
    };
  }

  forget(sandboxId: string): void {
    this.#bounds.delete(sandboxId);
  }

  async #outcome(asked: NameQuery, query: DnsQuery): Promise<Outcome> {
    if (this.#local.cameBack(asked.sandboxId, query)) return { rcode: RCODE.noName, learnt: [] };
    const bounds = this.#boundsOf(asked.sandboxId);
    const tooMany = bounds.tooMany();
    if (tooMany !== undefined) return refusal(RCODE.refused, tooMany);
    const judgement = judge(query, asked.rules);
    if (judgement.kind === 'deny') return refusal(RCODE.noName, judgement.refused);
    if (judgement.kind === 'nothing') return { rcode: RCODE.ok, learnt: [] };
    const closed = asked.rules.mode === 'enforce' && !asked.rules.anyName;
    const tooManyNames = closed ? bounds.tooManyNames(query.name) : undefined;
    if (tooManyNames !== undefined) return refusal(RCODE.refused, tooManyNames);
    const answer = await bounds.during(() => this.#ask(asked, query));
    const found = answer === undefined ? failed : fromAnswer(query, answer, asked, judgement.rules);
    return judgement.refused === undefined ? found : { ...found, refused: judgement.refused };
  }

  /** The embedded resolver where there is one and it knows the name, then the operator's, the container's, the host's. */
  async #ask({ sandboxId, askLocal, servers }: NameQuery, query: DnsQuery): Promise<UpstreamAnswer | undefined> {
    const local = askLocal === undefined ? undefined : await this.#local.ask(sandboxId, askLocal, query);
    if (local !== undefined) return local;
    const own = servers.length === 0 ? hostServers() : servers;
    return this.#context.upstream.ask(this.#context.servers() ?? own, query);
  }

  #boundsOf(sandboxId: string): Bounds {
    const known = this.#bounds.get(sandboxId) ?? new Bounds(this.#context.clock);
    this.#bounds.set(sandboxId, known);
    return known;
  }
}

const failed: Outcome = {
  rcode: RCODE.failed,
  learnt: [],
  why: { code: EXTENDED.unreachable, text: 'No resolver answers.' },
};

function refusal(rcode: Reply['rcode'], refused: string): Outcome {
  return { rcode, learnt: [], refused, why: { code: EXTENDED.prohibited, text: refused } };
}

/** What of an upstream answer the sandbox is told. */
function fromAnswer(query: DnsQuery, answer: UpstreamAnswer, { rules }: NameQuery, ids: readonly number[]): Outcome {
  if (answer.rcode !== RCODE.ok && answer.rcode !== RCODE.noName) return failed;
  const chain = follow(query.name, query.type, answer.answers);
  const { answers, learnt, refused } = admit(query.name, chain, rules, ids);
  const rcode = answer.rcode === RCODE.ok ? RCODE.ok : RCODE.noName;
  if (refused === undefined) return { rcode, answers, learnt };
  return { rcode, answers, learnt, refused, why: { code: EXTENDED.blocked, text: refused } };
}

function written(query: DnsQuery, reply: Reply, transport: NameQuery['transport']): Uint8Array {
  try {
    return writeReply(query, reply, transport);
  } catch {
    // A record that the library read and can't write again.
    return writeReply(query, { rcode: RCODE.failed }, transport);
  }
}
