import { requestId, type Text } from './messages.ts';
import type { Delivery, Session } from './session.ts';

/** Sandboxes for requests without a session, at one time. */
const MAX = 8;
/** How long one that nobody needs is kept, ms. */
const IDLE = 5 * 60_000;
/** How long a request whose client went away may take to end, ms. */
const CANCELLED = 10_000;

/**
 * Sandboxes that requests of the era without sessions share: each belongs to one request until that is answered, so
 * whatever the server says meanwhile is that client's, and no two ids ever meet.
 */
export class Pool {
  readonly #open: () => Session;
  readonly #free: Session[] = [];
  readonly #all = new Set<Session>();
  readonly #queue: ((session: Session) => void)[] = [];

  constructor(open: () => Session) {
    this.#open = open;
  }

  /** Answers one request, or hands a notification over. */
  async post(text: Text, delivery: Delivery): Promise<void> {
    const session = await this.#take();
    const id = text.messages.map(requestId).find((one) => one !== undefined);
    const answered = new Promise<void>((resolve) => {
      if (id === undefined || delivery.response.destroyed) resolve();
      else delivery.response.once('close', resolve);
    });
    await session.post(text, delivery);
    await answered;
    if (session.busy && id !== undefined) await this.#cancel(session, id);
    this.#give(session);
  }

  /** Ends what has not been needed for long. */
  look(): void {
    for (const session of this.#free.filter(({ used }) => Date.now() - used > IDLE)) this.#drop(session);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(async (session) => session.end()));
  }

  async #take(): Promise<Session> {
    const free = this.#free.pop();
    if (free?.over === undefined && free !== undefined) return free;
    if (free !== undefined) this.#all.delete(free);
    if (this.#all.size < MAX) {
      const session = this.#open();
      this.#all.add(session);
      return session;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  /** The client has closed its stream: in this era that is how it cancels. */
  async #cancel(session: Session, id: string): Promise<void> {
    const params = { requestId: JSON.parse(id) as unknown, reason: 'the client closed its stream' };
    await session.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })));
    for (const end = Date.now() + CANCELLED; session.busy && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #give(session: Session): void {
    session.used = Date.now();
    // A server that does not know it is free would talk into the next one's answer.
    if (session.busy || session.over !== undefined) {
      this.#drop(session);
      if (this.#queue.length === 0) return;
      const fresh = this.#open();
      this.#all.add(fresh);
      return this.#queue.shift()?.(fresh);
    }
    const next = this.#queue.shift();
    if (next === undefined) this.#free.push(session);
    else next(session);
  }

  #drop(session: Session): void {
    this.#all.delete(session);
    const at = this.#free.indexOf(session);
    if (at >= 0) this.#free.splice(at, 1);
    void session.end();
  }
}
