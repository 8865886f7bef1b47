import { RE2JS } from 're2js';

import { UcpError } from '../../core/errors.ts';
import { foldOrbit } from './fold.ts';
import { matcher } from './run-program.ts';
import { ALT, CLASS, EMPTY, FAIL, MATCH, type RegexProgram } from './program.ts';

/** Instructions one pattern may have; `(\p{L}{100}){10}` has about 1,000. Memory and time grow with it. */
const MAX_INSTRUCTIONS = 20_000;

const MAX_RUNE = 0x10_ffff;
const FOLD_CASE = 1;
/** The compiler of re2js: opcodes of its instructions. */
const RE2 = { alt: 1, altMatch: 2, capture: 3, empty: 4, fail: 5, match: 6, nop: 7, rune: 8, anyNotNewline: 11 };

/** What is read of re2js's compiled program; checked before use, since its types say `any`. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
}

/**
 * Compiles a regular expression in RE2 syntax to a program that a linear-time simulator runs. Throws REGEX_INVALID for
 * what RE2 doesn't accept (back-references, look-around …) and REGEX_TOO_LARGE for more than 20,000 instructions.
 */
export function compileProgram(regex: string): RegexProgram {
  const compiled = parse(regex).re2().prog;
  const instructions: readonly Instruction[] = compiled.inst;
  if (instructions.length > MAX_INSTRUCTIONS) {
    throw new UcpError(
      'REGEX_TOO_LARGE',
      `Expected a regular expression of at most ${MAX_INSTRUCTIONS} instructions, got ${instructions.length} from ${JSON.stringify(regex)}. Lower its repetition counts or split it.`,
    );
  }
  return translate(instructions, compiled.start);
}

/** What is wrong with a regular expression, or undefined. */
export function regexProblem(regex: string): string | undefined {
  if (regex === '') return 'expected a regular expression, got an empty string, which matches everything';
  try {
    const program = matcher(compileProgram(regex));
    // "^$" is only the empty text; "a*" is everything.
    if (program.test('') && program.test('\u{10fffd}')) {
      return `expected a regular expression that some text does not match; ${JSON.stringify(regex)} matches the empty text, which is everywhere`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof UcpError) return error.message;
    throw error;
  }
}

function parse(regex: string): RE2JS {
  try {
    return RE2JS.compile(regex);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UcpError(
      'REGEX_INVALID',
      `Expected a regular expression in RE2 syntax (no look-around, no back-references), got ${JSON.stringify(regex)}: ${why}.`,
      { cause },
    );
  }
}

function translate(instructions: readonly Instruction[], start: number): RegexProgram {
  const order = reachable(instructions, start);
  const position = new Map(order.map((pc, index) => [pc, index]));
  const at = (pc: number): number => position.get(skip(instructions, pc)) ?? 0;
  const classes: number[][] = [];
  const known = new Map<string, number>();
  const classIndex = (ranges: number[]): number => {
    const key = ranges.join();
    const found = known.get(key) ?? classes.push(ranges) - 1;
    known.set(key, found);
    return found;
  };
  const code = order.flatMap((pc) => {
    const inst = get(instructions, pc);
    if (inst.op === RE2.alt || inst.op === RE2.altMatch) return [ALT, at(inst.out), at(inst.arg)];
    if (inst.op === RE2.empty) return [EMPTY, at(inst.out), inst.arg];
    if (inst.op === RE2.match) return [MATCH, 0, 0];
    if (inst.op === RE2.fail) return [FAIL, 0, 0];
    if (inst.op < RE2.rune || inst.op > RE2.anyNotNewline) return unknownInstruction(inst.op);
    return [CLASS, at(inst.out), classIndex(rangesOf(inst))];
  });
  return { v: 1, start: at(start), code, classes };
}

function unknownInstruction(op: number): never {
  throw new UcpError('INTERNAL', `The regular expression compiler made an instruction of unknown kind ${op}.`);
}

function get(instructions: readonly Instruction[], pc: number): Instruction {
  const inst = instructions[pc];
  if (inst === undefined) throw new UcpError('INTERNAL', `The regular expression program has no instruction ${pc}.`);
  return inst;
}

/** Follows instructions that do nothing for a search without submatches. */
function skip(instructions: readonly Instruction[], pc: number): number {
  let at = pc;
  for (;;) {
    const inst = get(instructions, at);
    if (inst.op !== RE2.nop && inst.op !== RE2.capture) return at;
    at = inst.out;
  }
}

/** Program counters that a run can reach, FAIL (0) first. */
function reachable(instructions: readonly Instruction[], start: number): readonly number[] {
  const seen = new Set([0]);
  const pending = [start];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const pc = skip(instructions, next);
    if (seen.has(pc)) continue;
    seen.add(pc);
    const inst = get(instructions, pc);
    if (inst.op === RE2.match || inst.op === RE2.fail) continue;
    if (inst.op === RE2.alt || inst.op === RE2.altMatch) pending.push(inst.arg);
    pending.push(inst.out);
  }
  return [...seen];
}

/** The code points that a rune instruction takes: sorted ranges; one rune alone may carry the fold-case flag. */
function rangesOf(inst: Instruction): number[] {
  const runes = Array.from(inst.runes);
  const [only] = runes;
  if (runes.length !== 1 || only === undefined) return runes.map((rune) => Math.min(rune, MAX_RUNE));
  const members = (inst.arg & FOLD_CASE) === 0 ? [only] : foldOrbit(only);
  return members.flatMap((member) => [member, member]);
}
