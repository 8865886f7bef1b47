import { Buckets, type Wild } from './buckets.ts';
import { earlier, type List } from './list.ts';
import { isLiteral, parseGlob } from './parse.ts';
import { globListSource } from './source.ts';
import { literalText, type Variant } from './tokens.ts';

/**
 * Prepares a list of globs over paths. A question costs what its own path is long, not what the list is: literal
 * globs, `directory/**` and `**\/name` are looked up, others are found by the literal text that they begin or end
 * with. Doubled slashes in a path count as one. Throws GLOB_INVALID.
 */
export function globList(globs: readonly string[]): List {
  const index = new GlobIndex();
  for (const [at, glob] of globs.entries()) for (const variant of parseGlob(glob)) index.add(at, glob, variant);
  return index.freeze(globs);
}

/** A path that exact look-ups may be asked about: no `.` and `..`, no slash at the end. */
function isPlain(path: string): boolean {
  if (path === '/') return true;
  if (path === '' || path.endsWith('/')) return false;
  // A name that begins with a dot is common, `.` and `..` are not: the cheap look comes first.
  return !(path.startsWith('.') || path.includes('/.')) || !/(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
}

class GlobIndex {
  readonly #exact = new Texts();
  readonly #below = new Texts();
  readonly #named = new Texts();
  readonly #wild: Wild[] = [];

  add(index: number, glob: string, variant: Variant): void {
    const literal = isLiteral(variant) ? textOf(variant) : undefined;
    const inside = variant.at(-1) === 'globstar' ? textOf(variant.slice(0, -1)) : undefined;
    const named = variant[0] === 'globstar' ? textOf(variant.slice(1)) : undefined;
    if (literal !== undefined && !literal.endsWith('/')) this.#exact.add(literal, index);
    else if (inside !== undefined && variant.length > 1) this.#below.add(`${inside}/`, index);
    else if (named !== undefined && named !== '' && !named.endsWith('/')) this.#named.add(named, index);
    else this.#wild.push({ index, ...ends(variant), test: lazyTest(glob) });
  }

  freeze(globs: readonly string[]): List {
    const buckets = new Buckets(this.#wild);
    const tests = globs.map(lazyTest);
    return {
      find: (path) => {
        const text = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
        if (!isPlain(text)) return tests.findIndex((test) => test(text));
        return buckets.find(text, this.#lookUp(text));
      },
    };
  }

  #lookUp(path: string): number {
    let best = earlier(this.#exact.within(path, 0, path.length), this.#named.within(path, 0, path.length));
    if (this.#below.empty && this.#named.empty) return best;
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      best = earlier(best, this.#below.within(path, 0, at + 1));
      best = earlier(best, this.#named.within(path, at + 1, path.length));
    }
    return best;
  }
}

/** Literal texts with the first rule of each. A text of a length that none has is not even cut out. */
class Texts {
  readonly #rules = new Map<string, number>();
  readonly #lengths: boolean[] = [];

  get empty(): boolean {
    return this.#rules.size === 0;
  }

  add(text: string, rule: number): void {
    if (!this.#rules.has(text)) this.#rules.set(text, rule);
    while (this.#lengths.length <= text.length) this.#lengths.push(false);
    this.#lengths[text.length] = true;
  }

  /** The rule of `text.slice(begin, end)`, −1 when there is none. */
  within(text: string, begin: number, end: number): number {
    return this.#lengths[end - begin] === true ? (this.#rules.get(text.slice(begin, end)) ?? -1) : -1;
  }
}

/** The literal text of segments, undefined when one has a wildcard. */
function textOf(segments: Variant): string | undefined {
  const texts = segments.map((segment) => (segment === 'globstar' ? undefined : literalText(segment)));
  return texts.includes(undefined) ? undefined : texts.join('/');
}

/** What every match begins and ends with. */
function ends(variant: Variant): { readonly prefix: string; readonly suffix: string } {
  // A slash at the end of the pattern is not one that a plain path has.
  const suffix = variant.at(-1)?.length === 0 ? '' : literalBegin(variant.toReversed(), true);
  return { prefix: literalBegin(variant, false), suffix };
}

/** The literal text before the first wildcard; `backwards` reads reversed segments from their ends. */
function literalBegin(segments: Variant, backwards: boolean): string {
  let text = '';
  for (const [at, segment] of segments.entries()) {
    if (segment === 'globstar') break;
    const tokens = backwards ? segment.toReversed() : segment;
    const wildcard = tokens.findIndex(({ kind }) => kind !== 'literal');
    const chars = (wildcard < 0 ? tokens : tokens.slice(0, wildcard)).map((token) =>
      token.kind === 'literal' ? token.char : '',
    );
    text = backwards ? chars.toReversed().join('') + text : text + chars.join('');
    if (wildcard >= 0) break;
    if (at < segments.length - 1) text = backwards ? `/${text}` : `${text}/`;
  }
  return text;
}

/** Compiles when first asked: most rules of a long list never are. */
function lazyTest(glob: string): (text: string) => boolean {
  let regex: RegExp | undefined;
  return (text) => (regex ??= new RegExp(globListSource([glob]), 'u')).test(text);
}
