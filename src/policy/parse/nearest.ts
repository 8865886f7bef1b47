/** Edits (insert, delete, replace) that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const [inserted = 0, deleted = 0, kept = 0] = [current[column - 1], above[column], above[column - 1]];
      current.push(Math.min(inserted + 1, deleted + 1, kept + (a[row - 1] === b[column - 1] ? 0 : 1)));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}

/** What people drop or exchange when they remember a name wrongly. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ .]/g, '');

/** The known name that `name` most likely stands for, undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = distance(plain(name), plain(candidate));
    if (best === undefined || edits < best.edits) best = { candidate, edits };
  }
  return best !== undefined && best.edits <= Math.max(1, Math.floor(name.length / 3)) ? best.candidate : undefined;
}
