/** A list of rules, ready to be asked. */
export interface List {
  /** The index of the first rule that `text` is covered by, −1 when there is none. */
  find(text: string): number;
}

/** The smaller of two indices of rules, where −1 is none. */
export function earlier(a: number, b: number | undefined): number {
  if (b === undefined || b < 0) return a;
  return a < 0 ? b : Math.min(a, b);
}
