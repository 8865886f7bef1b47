/** What a sandbox's network configuration says about names and the addresses behind them. */
export interface NameRules {
  readonly mode: 'observe' | 'enforce';
  /** A rule opens every public address: then any name may be asked, and its answers need not be learnt. */
  readonly anyName: boolean;
  /** Ids of the egress rules that name `name` (lower case, no dot at its end), by itself or by wildcard. */
  rulesFor(name: string): readonly number[];
  /**
   * What keeps an address closed (`private`, `the sandbox's gateway`, …); undefined when nothing does, or when a rule
   * names its range. In enforce mode such an address is never answered (DNS rebinding).
   */
  closed(address: string): string | undefined;
}

/** One DNS question of a sandbox, as it came. */
export interface NameQuery {
  /** The DNS message, without the length prefix that TCP has. */
  readonly packet: Uint8Array;
  readonly transport: 'udp' | 'tcp';
  /** For bounds per sandbox. */
  readonly sandboxId: string;
  readonly rules: NameRules;
  /**
   * Asks the engine's embedded resolver, which knows the names of containers on user-defined networks; absent where the
   * sandbox is on none. It sends on what it does not know, from inside the sandbox: that comes back as a question.
   */
  readonly askLocal?: (packet: Uint8Array) => Promise<Uint8Array>;
  /** Addresses of the resolvers that the container was given; empty: the host's. */
  readonly servers: readonly string[];
}

/** An address that a name stands for, to be let out to under `rules` for as long as the answer is valid. */
export interface LearntAddress {
  readonly address: string;
  readonly ttlSeconds: number;
  /** One that is entered already, with at least so much time left, need not be entered again. */
  readonly leastSeconds: number;
  /** Ids of the rules that name it. */
  readonly rules: readonly number[];
}

/** What became of a question. */
export interface NameAnswer {
  /** The DNS message to send back; undefined: nothing is sent (a question that is no question). */
  readonly packet: Uint8Array | undefined;
  /** Entered into the rules before the answer is sent. */
  readonly learnt: readonly LearntAddress[];
  /** The name that was asked, lower case, no dot at its end; undefined when the question could not be read. */
  readonly name: string | undefined;
  /** `A`, `AAAA`, `TXT`, …, or `TYPE65`. */
  readonly type?: string;
  /** Why the question, or an address behind it, was refused (enforce) or would be (observe); one sentence. */
  readonly refused?: string;
}

/** Answers the DNS questions of sandboxes: only names that a rule allows leave the host. Never rejects. */
export interface NameResolver {
  answer(query: NameQuery): Promise<NameAnswer>;
  /** Forgets what it holds for a sandbox that ended. */
  forget(sandboxId: string): void;
}
