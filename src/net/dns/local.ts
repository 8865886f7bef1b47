import { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';

import type { DnsQuery } from './query.ts';
import { readAnswer, type UpstreamAnswer, writeQuestion } from './upstream-packet.ts';

type AskLocal = (packet: Uint8Array) => Promise<Uint8Array>;

/** Longer than the engine needs for a name that it knows. */
const PATIENCE = 1000;

/**
 * Questions to the engine's embedded resolver. What that does not know it asks of the container's own resolver, which
 * is us: the same question, with the id that we chose, comes back from inside the sandbox while we wait. So a question
 * that comes back means "not a container's name", and is answered so at once.
 */
export class LocalQuestions {
  /** Sandbox, id, name and type of those that wait, with what ends the wait. */
  readonly #waiting = new Map<string, () => void>();

  /** The embedded resolver's answer where it knows the name itself; undefined otherwise. Never rejects. */
  async ask(sandboxId: string, ask: AskLocal, query: DnsQuery): Promise<UpstreamAnswer | undefined> {
    const question = { id: randomInt(65_536), name: query.name, type: query.type };
    const key = keyOf(sandboxId, question);
    const answer = await new Promise<UpstreamAnswer | undefined>((resolve) => {
      const end = (): void => resolve(undefined);
      const timer = setTimeout(end, PATIENCE);
      this.#waiting.set(key, end);
      ask(writeQuestion(question))
        .then((packet) => resolve(readAnswer(Buffer.from(packet), question)), end)
        .finally(() => clearTimeout(timer));
    });
    this.#waiting.delete(key);
    return answer?.rcode === 0 && !answer.truncated ? answer : undefined;
  }

  /** True when `query` is one of ours that came back; the wait for its answer ends. */
  cameBack(sandboxId: string, query: DnsQuery): boolean {
    const end = this.#waiting.get(keyOf(sandboxId, query));
    end?.();
    return end !== undefined;
  }
}

function keyOf(sandboxId: string, { id, name, type }: { id: number; name: string; type: string }): string {
  return JSON.stringify([sandboxId, id, name, type]);
}
