/** Inclusive range of code points. */
export type Range = readonly [low: number, high: number];

/** One element of a path segment's pattern. */
export type Token =
  | { readonly kind: 'literal'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly ranges: readonly Range[]; readonly negated: boolean }
  /** `+(a|b)`: one or more of the alternatives; `!(a|b)`: any text that is none of them. */
  | { readonly kind: 'repeat' | 'not'; readonly alternatives: readonly (readonly Token[])[] };

/** One segment of a glob between slashes; `globstar` is `**`, any number of whole segments. */
export type Segment = 'globstar' | readonly Token[];

/** One pattern that a glob stands for: its segments between slashes. A last empty one means a slash at the end. */
export type Variant = readonly Segment[];

/** The text that tokens stand for when all are literal, else undefined. */
export function literalText(tokens: readonly Token[]): string | undefined {
  let text = '';
  for (const token of tokens) {
    if (token.kind !== 'literal') return undefined;
    text += token.char;
  }
  return text;
}
