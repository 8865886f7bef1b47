import { hash } from 'node:crypto';

/** Connections that only observation lets through. */
export const OBSERVED_ID = 1;
/** Connections into a sandbox whose configuration has no `ingress`. */
export const OPEN_INGRESS_ID = 2;
/** Ids below are ours; 0 is a connection that nobody judged. */
const FIRST_ID = 16;

/** Hashes that are remembered: most rules of a policy were in the one before it. */
const REMEMBERED = 65_536;
const hashes = new Map<string, number>();

function hashOf(text: string): number {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const made = hash('sha256', text, 'buffer').readUInt32BE(0);
  if (hashes.size >= REMEMBERED) hashes.clear();
  hashes.set(text, made);
  return made;
}

/**
 * Gives each rule the number that marks its connections. The same text always gets the same number, so that a rule keeps
 * its connections when the policy around it changes; never 0.
 */
export class RuleIds {
  readonly #byText = new Map<string, number>();
  readonly #taken = new Set<number>();

  /** The id of a rule; `text` says all that the rule allows, in one spelling. */
  of(text: string): number {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    let id = 0;
    // Two texts of one configuration with the same number: the later one takes the next of its own.
    for (let round = 0; id < FIRST_ID || this.#taken.has(id); round += 1) {
      id = hashOf(`${round} ${text}`);
    }
    this.#byText.set(text, id);
    this.#taken.add(id);
    return id;
  }
}

/** An id as nft writes a mark. */
export function markText(id: number): string {
  return `0x${id.toString(16).padStart(8, '0')}`;
}
