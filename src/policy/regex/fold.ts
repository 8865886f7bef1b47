/** The last code point that has another case form (Adlam), with room to spare. */
const LAST_CASED = 0x1_e95f;

let orbits: ReadonlyMap<number, readonly number[]> | undefined;

/**
 * All code points that RE2 takes as the same as `codePoint` when case is ignored, itself included, ascending. The
 * orbits are those of Unicode's simple case folding, which is also what the engine's `iu` flags follow.
 */
export function foldOrbit(codePoint: number): readonly number[] {
  orbits ??= allOrbits();
  return orbits.get(codePoint) ?? [codePoint];
}

function allOrbits(): ReadonlyMap<number, readonly number[]> {
  const byCode = new Map<number, Set<number>>();
  const join = (a: number, b: number): void => {
    const merged = new Set([...(byCode.get(a) ?? [a]), ...(byCode.get(b) ?? [b])]);
    for (const member of merged) byCode.set(member, merged);
  };
  for (let code = 0; code <= LAST_CASED; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    for (const other of caseForms(code)) if (sameFolded(code, other)) join(code, other);
  }
  return new Map([...byCode].map(([code, members]) => [code, [...members].toSorted((a, b) => a - b)]));
}

function caseForms(code: number): number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()]
    .filter((form) => form !== char && Array.from(form).length === 1)
    .map((form) => form.codePointAt(0) ?? code);
}

/** Lower and upper case forms need not be simple foldings of each other (İ, ı); the engine's own folding decides. */
function sameFolded(a: number, b: number): boolean {
  return new RegExp(`^\\u{${a.toString(16)}}$`, 'iu').test(String.fromCodePoint(b));
}
