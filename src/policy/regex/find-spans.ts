import { conditions, inRanges, kindOf } from './conditions.ts';
import { follow, nothingReached, type Reached } from './follow.ts';
import { MATCH, type RegexProgram, type Span } from './program.ts';

/** Positions that one search for all matches may visit per code unit of the text, before it gives up on precision. */
const VISITS_PER_UNIT = 64;
const FREE_VISITS = 100_000;

/** Threads at one place, in the order of their priority; `starts[i]` is where the thread's match began. */
interface Threads {
  readonly pcs: number[];
  readonly starts: number[];
  readonly reached: Reached;
}

/**
 * Every match that is not empty, leftmost-first, without overlaps: Pike's algorithm with the begin of the match as the
 * only submatch. After an empty match the search goes on one code point later. Greedy patterns can make each search
 * run to the end of the text; when all of them together have visited more than 64 positions per code unit (and
 * 100,000), the rest of the text, from the next place to search, is one last span: redacting too much is safe, and the
 * total stays linear.
 */
export function findSpans(program: RegexProgram, text: string): readonly Span[] {
  const run = new Search(program, text);
  const budget = FREE_VISITS + VISITS_PER_UNIT * text.length;
  const spans: Span[] = [];
  let from = 0;
  while (from <= text.length) {
    if (run.visits > budget) return [...spans, { start: from, end: text.length }];
    const match = run.next(from);
    if (match === undefined) return spans;
    if (match.end > match.start) spans.push(match);
    from = match.end > match.start ? match.end : match.end + widthAt(text, match.end);
  }
  return spans;
}

function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** The code point that ends at `index`, −1 at the begin of the text. */
function before(text: string, index: number): number {
  if (index === 0) return -1;
  const unit = text.charCodeAt(index - 1);
  if (unit < 0xdc00 || unit > 0xdfff || index < 2) return unit;
  const whole = text.codePointAt(index - 2) ?? unit;
  return whole > 0xffff ? whole : unit;
}

class Search {
  readonly #program: RegexProgram;
  readonly #text: string;
  #now: Threads;
  #then: Threads;
  /** Positions visited by all searches so far. */
  visits = 0;

  constructor(program: RegexProgram, text: string) {
    this.#program = program;
    this.#text = text;
    const threads = (): Threads => ({ pcs: [], starts: [], reached: nothingReached(program) });
    this.#now = threads();
    this.#then = threads();
  }

  /** The leftmost-first match that begins at `from` or later. */
  next(from: number): Span | undefined {
    let found: Span | undefined;
    clear(this.#now);
    for (let index = from, last = before(this.#text, from); ;) {
      this.visits++;
      const code = this.#text.codePointAt(index) ?? -1;
      const flags = conditions(kindOf(last), kindOf(code));
      // A thread that begins here ranks below those that began earlier, and none begins after a match was found.
      if (found === undefined) this.#add(this.#now, this.#program.start, index, flags);
      else if (this.#now.pcs.length === 0) return found;
      found = this.#step(code, index, found);
      if (code < 0) return found;
      index += code > 0xffff ? 2 : 1;
      last = code;
      this.#advance(index, last);
    }
  }

  #add(threads: Threads, pc: number, start: number, flags: number): void {
    follow(this.#program, pc, flags, threads.reached, (at) => {
      threads.pcs.push(at);
      threads.starts.push(start);
    });
  }

  /** Moves the threads over `code` into `then`, as bare continuations; a match cuts off all threads of lower rank. */
  #step(code: number, index: number, found: Span | undefined): Span | undefined {
    const { code: program, classes } = this.#program;
    const then = this.#then;
    clear(then);
    for (const [rank, pc] of this.#now.pcs.entries()) {
      const start = this.#now.starts[rank] ?? index;
      if (program[3 * pc] === MATCH) return { start, end: index };
      if (code < 0 || !inRanges(classes[program[3 * pc + 2] ?? 0] ?? [], code)) continue;
      then.pcs.push(program[3 * pc + 1] ?? 0);
      then.starts.push(start);
    }
    return found;
  }

  /** Resolves the continuations in `then` at `index`, where the code point after it is known. */
  #advance(index: number, last: number): void {
    const flags = conditions(kindOf(last), kindOf(this.#text.codePointAt(index) ?? -1));
    const now = this.#now;
    clear(now);
    for (const [rank, pc] of this.#then.pcs.entries()) this.#add(now, pc, this.#then.starts[rank] ?? 0, flags);
  }
}

function clear(threads: Threads): void {
  threads.pcs.length = 0;
  threads.starts.length = 0;
  threads.reached.mark++;
}
