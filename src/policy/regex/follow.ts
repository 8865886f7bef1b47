import { ALT, CLASS, EMPTY, MATCH, type RegexProgram } from './program.ts';

/** Instructions already reached at one place: `seen[pc] === mark`. A new place takes a new mark. */
export interface Reached {
  readonly seen: Uint32Array;
  mark: number;
}

/** Nothing reached yet. */
export function nothingReached(program: RegexProgram): Reached {
  return { seen: new Uint32Array(program.code.length / 3), mark: 1 };
}

/**
 * Follows ALT, and EMPTY where its conditions are among `flags`, from `pc` to the CLASS and MATCH instructions where
 * threads wait, depth first: `wait` is called in the order of priority, once per instruction and mark.
 */
export function follow(
  program: RegexProgram,
  pc: number,
  flags: number,
  reached: Reached,
  wait: (pc: number) => void,
): void {
  const { code } = program;
  const pending = [pc];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (reached.seen[at] === reached.mark) continue;
    reached.seen[at] = reached.mark;
    const op = code[3 * at];
    const out = code[3 * at + 1] ?? 0;
    const arg = code[3 * at + 2] ?? 0;
    if (op === ALT) pending.push(arg, out);
    else if (op === EMPTY && (arg & ~flags) === 0) pending.push(out);
    else if (op === MATCH || op === CLASS) wait(at);
  }
}
