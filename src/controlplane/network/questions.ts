import { toUcpError } from '../../core/errors.ts';
import type { EventSink } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Clock, Logger } from '../../core/ports.ts';
import { canonicalAddress } from '../../net/addresses.ts';
import type { NameAnswer, NameResolver } from '../../net/dns-port.ts';
import { learntMap } from '../../net/egress.ts';
import type { LearntEntry } from '../../net/learnt.ts';
import type { HelperLink } from '../helper/link.ts';
import { questionEvent, type RefusedQuestion } from './network-events.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import { Tally } from './tally.ts';

interface QuestionsOptions {
  readonly helper: { link(): Promise<HelperLink> };
  readonly resolver: NameResolver;
  readonly events: EventSink;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The DNS questions of sandboxes: from the helper to the resolver and back, what they stand for entered on the way. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #refused = new Map<SandboxNetwork, Tally<RefusedQuestion>>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Answers one question. What can't be answered is dropped: the helper says so to the sandbox. Never rejects. */
  async ask(said: JsonObject, attached: SandboxNetwork | undefined): Promise<void> {
    const { sandbox, query, packet, transport } = said;
    if (typeof packet !== 'string' || typeof query !== 'number' || typeof sandbox !== 'string') return;
    try {
      const link = await this.#options.helper.link();
      const answer = attached === undefined ? undefined : await this.#resolve(link, attached, packet, transport);
      if (answer === undefined || attached === undefined || answer.packet === undefined) {
        await link.request('dns_drop', { sandbox, query });
        return;
      }
      await this.#learn(link, attached, answer);
      const bytes = Buffer.from(answer.packet).toString('base64');
      await link.request('dns_answer', { sandbox, query, packet: bytes });
    } catch (thrown) {
      const cause = toUcpError(thrown).message;
      this.#options.logger.warn('a DNS question was not answered', { sandbox, cause });
    }
  }

  /** Tells of what is counted of a sandbox that ended. */
  forget(attached: SandboxNetwork): void {
    this.#refused.get(attached)?.flush();
    this.#refused.delete(attached);
    this.#options.resolver.forget(attached.sandboxId);
  }

  async #resolve(link: HelperLink, attached: SandboxNetwork, packet: string, transport: unknown): Promise<NameAnswer> {
    const { sandboxId, network, state } = attached;
    const answer = await this.#options.resolver.answer({
      packet: Buffer.from(packet, 'base64'),
      transport: transport === 'tcp' ? 'tcp' : 'udp',
      sandboxId,
      rules: state.names,
      servers: network.servers,
      ...(network.embeddedResolver ? { askLocal: (asked) => askLocal(link, sandboxId, asked) } : {}),
    });
    const { refused, name = '', type = '' } = answer;
    if (refused !== undefined) this.#tallyOf(attached).take(`${type} ${name}`, { name, type, why: refused });
    return answer;
  }

  /** Lets the sandbox out to the addresses of an answer, before it has it. */
  async #learn(link: HelperLink, attached: SandboxNetwork, { learnt, name = '' }: NameAnswer): Promise<void> {
    const now = this.#options.clock.monotonic();
    const fresh: LearntEntry[] = [];
    const add = learnt.flatMap(({ address: text, ttlSeconds, leastSeconds, rules: ids }) => {
      const address = canonicalAddress(text);
      if (address === undefined) return [];
      const family = address.includes(':') ? 6 : 4;
      return ids.flatMap((id) => {
        // The policy may have changed while the name was asked for.
        const rule = attached.state.rules.byId.get(id);
        if (rule === undefined || rule.ports.length === 0) return [];
        if (attached.learnt.left(address, id, now) >= leastSeconds * 1000) return [];
        const entry = { address, rule: id, name, until: now + ttlSeconds * 1000 };
        attached.learnt.add(entry);
        fresh.push(entry);
        return [{ set: learntMap(rule, family), family, address, rule: id, timeout: ttlSeconds }];
      });
    });
    if (add.length === 0) return;
    await link.request('elements', { sandbox: attached.sandboxId, add });
    for (const entry of fresh) attached.learnt.enter(entry);
  }

  #tallyOf(attached: SandboxNetwork): Tally<RefusedQuestion> {
    const known = this.#refused.get(attached);
    if (known !== undefined) return known;
    const { events, clock } = this.#options;
    const tally = new Tally<RefusedQuestion>(clock, (asked, count) => {
      events.emit(questionEvent(asked, count, attached.state.events));
    });
    this.#refused.set(attached, tally);
    return tally;
  }
}

async function askLocal(link: HelperLink, sandbox: string, packet: Uint8Array): Promise<Uint8Array> {
  const { packet: answer } = await link.request('dns_local', {
    sandbox,
    packet: Buffer.from(packet).toString('base64'),
  });
  return Buffer.from(typeof answer === 'string' ? answer : '', 'base64');
}
