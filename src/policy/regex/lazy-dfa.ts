import { conditions, EDGE, inRanges, kindOf } from './conditions.ts';
import { follow, nothingReached, type Reached } from './follow.ts';
import { MATCH, type RegexProgram } from './program.ts';

/** States kept before the cache starts anew: bounds memory for patterns that would need very many. */
const MAX_STATES = 2_000;
/** Transitions on code points beyond ASCII kept per state. */
const MAX_WIDE = 256;

/** A set of threads before their conditions are looked at, and what stood before them. */
interface State {
  readonly pcs: readonly number[];
  readonly before: number;
  readonly ascii: (State | undefined)[];
  readonly wide: Map<number, State>;
}

/** Reached when a thread has matched: nothing after it matters for a verdict. */
const MATCHED: State = { pcs: [], before: EDGE, ascii: [], wide: new Map() };

/**
 * Tells whether a program matches anywhere in a text, by a deterministic automaton that is built as texts demand it.
 * Each code point costs one table look-up once its transition is known, at most one pass over the program otherwise.
 */
export class LazyDfa {
  readonly #program: RegexProgram;
  readonly #reached: Reached;
  #states = new Map<string, State>();
  #start: State;

  constructor(program: RegexProgram) {
    this.#program = program;
    this.#reached = nothingReached(program);
    this.#start = this.#state([], EDGE);
  }

  /** True when the program matches anywhere in `text`. */
  test(text: string): boolean {
    let state = this.#start;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      let next: State | undefined;
      if (code < 128) next = state.ascii[code];
      else {
        if (code >= 0xd800 && code <= 0xdbff) {
          code = text.codePointAt(i) ?? code;
          if (code > 0xffff) i++;
        }
        next = state.wide.get(code);
      }
      state = next ?? this.#learn(state, code);
      if (state === MATCHED) return true;
    }
    return (state.ascii[128] ?? this.#learn(state, -1)) === MATCHED;
  }

  /** Finds the state after `code` (−1: the end of the text) and remembers it. */
  #learn(state: State, code: number): State {
    const next = this.#step(state, code);
    if (code < 128) state.ascii[code < 0 ? 128 : code] = next;
    else {
      if (state.wide.size >= MAX_WIDE) state.wide.clear();
      state.wide.set(code, next);
    }
    return next;
  }

  #step(state: State, code: number): State {
    const program = this.#program;
    const flags = conditions(state.before, kindOf(code));
    const next: number[] = [];
    let matched = false;
    const wait = (pc: number): void => {
      if (program.code[3 * pc] === MATCH) matched = true;
      else if (code >= 0 && inRanges(program.classes[program.code[3 * pc + 2] ?? 0] ?? [], code)) {
        next.push(program.code[3 * pc + 1] ?? 0);
      }
    };
    this.#reached.mark++;
    for (const pc of state.pcs) follow(program, pc, flags, this.#reached, wait);
    follow(program, program.start, flags, this.#reached, wait);
    return matched ? MATCHED : this.#state(next, kindOf(code));
  }

  #state(threads: readonly number[], before: number): State {
    const pcs = [...new Set(threads)].toSorted((a, b) => a - b);
    const key = `${before}:${pcs.join()}`;
    const found = this.#states.get(key);
    if (found !== undefined) return found;
    if (this.#states.size >= MAX_STATES) this.#forget();
    const state: State = { pcs, before, ascii: Array.from({ length: 129 }), wide: new Map() };
    this.#states.set(key, state);
    return state;
  }

  #forget(): void {
    this.#states = new Map();
    this.#start = { pcs: [], before: EDGE, ascii: Array.from({ length: 129 }), wide: new Map() };
    this.#states.set(`${EDGE}:`, this.#start);
  }
}
