import { PendingRequests } from '../../../policy/mcp/pending.ts';
import { type Pending, Scene, type Stage } from '../scene.ts';
import { ServerFacts } from '../server-facts.ts';

/** Sessions, and paths, that are remembered; beyond it the one that was silent longest is forgotten. */
const MAX_SESSIONS = 4096;
const MAX_PATHS = 64;

/** A session, or one exchange where there are none. */
export interface Conversation {
  readonly scene: Scene;
  /** It outlasts the exchange. */
  lasting: boolean;
  /** HTTP+SSE (2024-11-05): where the client's messages go. */
  address?: string;
  /** HTTP+SSE (2024-11-05): writes a message into the stream that carries all answers; false when there is none. */
  say?: ((messages: readonly unknown[]) => boolean) | undefined;
}

/** What is known of a path, over all its sessions. */
interface Place {
  readonly facts: ServerFacts;
  /** Requests of exchanges without a session: under way, and ended without an answer. */
  readonly waiting: Set<PendingRequests<Pending>>;
  readonly lost: PendingRequests<Pending>;
}

/** Who talks about what: sessions by `Mcp-Session-Id` or by the address that an old server gave out. */
export class Conversations {
  readonly #stage: Stage;
  readonly #sessions = new Recent<Conversation>(MAX_SESSIONS);
  readonly #places = new Recent<Place>(MAX_PATHS);

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The server's name and what else is known of it, by its path. */
  factsOf(url: string): ServerFacts {
    return this.#place(url).facts;
  }

  /** The conversation that a request belongs to; a new one where no session is named. */
  of(url: string, session: string | undefined): Conversation {
    const known = this.#sessions.get(session === undefined ? addressKey(url) : sessionKey(url, session));
    if (known !== undefined) return known;
    const place = this.#place(url);
    const elsewhere = (): Iterable<PendingRequests<Pending>> => [...place.waiting, place.lost];
    const scene = new Scene(this.#stage, { transport: 'http', session }, place.facts, elsewhere);
    const conversation: Conversation = { scene, lasting: session !== undefined };
    if (session !== undefined) this.#sessions.set(sessionKey(url, session), conversation);
    return conversation;
  }

  /** An exchange without a session has begun; the function ends it: its answers may still come, elsewhere. */
  begun(url: string, conversation: Conversation): () => void {
    const { scene } = conversation;
    const { waiting, lost } = this.#place(url);
    waiting.add(scene.toServer);
    return () => {
      waiting.delete(scene.toServer);
      if (!conversation.lasting) scene.toServer.moveTo(lost);
    };
  }

  /** The server gave a conversation its session. */
  named(url: string, session: string, conversation: Conversation): void {
    conversation.scene.setting.session = session;
    conversation.lasting = true;
    this.#sessions.set(sessionKey(url, session), conversation);
  }

  /** The server gave out the address for the client's messages (HTTP+SSE). */
  addressed(address: string, conversation: Conversation): void {
    conversation.scene.setting.transport = 'sse';
    conversation.lasting = true;
    conversation.address = address;
    this.#sessions.set(addressKey(address), conversation);
  }

  ended(url: string, session: string): void {
    this.#sessions.delete(sessionKey(url, session));
  }

  closed(address: string): void {
    this.#sessions.delete(addressKey(address));
  }

  #place(url: string): Place {
    const path = pathOf(url);
    const known = this.#places.get(path);
    if (known !== undefined) return known;
    const made = {
      facts: new ServerFacts(),
      waiting: new Set<PendingRequests<Pending>>(),
      lost: new PendingRequests<Pending>(),
    };
    this.#places.set(path, made);
    return made;
  }
}

const pathOf = (url: string): string => url.replace(/\?.*$/s, '');
const sessionKey = (url: string, session: string): string => `session ${session} ${pathOf(url)}`;
const addressKey = (url: string): string => `address ${url}`;

/** A map that forgets what was not asked for longest. */
class Recent<Value> {
  readonly #max: number;
  readonly #values = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#max) return;
      this.#values.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
