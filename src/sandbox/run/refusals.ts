import type { Notification } from '../../core/protocol.ts';
import type { RunRequest } from '../../core/run-request.ts';

type RefusedConnection = Extract<Notification, { event: 'connection_refused' }>;

/** Time between two lines, ms. */
const PAUSE = 1_000;
/** How long the same is not said again, ms, and of how many things that is known. */
const AGAIN = 60_000;
const KINDS = 64;

/** Lines for the user about connections of the sandbox that were refused: few of them, and how many more there were. */
export class Refusals {
  readonly #say: (line: string) => void;
  readonly #policy: string;
  readonly #now: () => number;
  readonly #said = new Map<string, number>();
  #last = -PAUSE;
  #more = 0;

  constructor(
    say: (line: string) => void,
    { policyFile, policyKey }: Pick<RunRequest, 'policyFile' | 'policyKey'>,
    now: () => number = () => performance.now(),
  ) {
    this.#say = say;
    this.#policy = policyFile === undefined ? '' : ` --policy ${policyFile} --policy-key ${policyKey ?? ''}`;
    this.#now = now;
  }

  /** Says so, or counts what is to be said later. */
  take({ message, config, rule, destination, count }: RefusedConnection): void {
    const now = this.#now();
    const key = `${config} ${message}`;
    this.#more += count;
    if (now - this.#last < PAUSE || now - (this.#said.get(key) ?? -AGAIN) < AGAIN) return;
    if (this.#said.size >= KINDS) this.#said.clear();
    this.#said.set(key, now);
    this.#last = now;
    const ask = destination === undefined ? `network show ${config}` : `network check ${config} ${destination}`;
    const more = this.#more > count ? ` (${this.#more - count} others since)` : '';
    this.#more = 0;
    this.#say(
      `refused: ${message.replace(/\.$/, '')}${more}; network config ${config}, ${rule}; ask \`ucp-sandbox ${ask}${this.#policy}\``,
    );
  }

  /** At the end of the run. */
  end(): void {
    if (this.#more > 0) this.#say(`refused: ${this.#more} more connections, see \`ucpd logs\``);
    this.#more = 0;
  }
}
