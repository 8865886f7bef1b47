import { addressText, type NetworkRange } from './addresses.ts';

/** What a range of addresses stands for; ranges that hold each other are fine. */
export interface RangeMark {
  readonly range: NetworkRange;
  readonly id: number;
}

interface Interval {
  readonly from: bigint;
  readonly to: bigint;
  readonly id: number;
}

/**
 * Elements of an nft interval map for ranges of one family: maps take no overlaps, so where one range holds another the
 * narrower one has its part. The first of two equal ranges counts.
 */
export function intervalElements(marks: readonly RangeMark[], family: 4 | 6): readonly { text: string; id: number }[] {
  const found = marks.filter(({ range }) => range.family === family).map(toInterval);
  return flatten(found).map(({ from, to, id }) => ({
    text: from === to ? addressText(from, family) : `${addressText(from, family)}-${addressText(to, family)}`,
    id,
  }));
}

function toInterval({ range, id }: RangeMark): Interval {
  const width = BigInt(range.bytes.length * 8 - range.prefix);
  const base = range.bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const from = (base >> width) << width;
  return { from, to: from + (1n << width) - 1n, id };
}

/** CIDR ranges either hold each other or are apart: a stack of those that are open is enough. */
function flatten(intervals: readonly Interval[]): readonly Interval[] {
  const flat: Interval[] = [];
  const open: Interval[] = [];
  let done = 0n;
  const emit = (until: bigint): void => {
    const top = open.at(-1);
    if (top !== undefined && until >= done) flat.push({ from: done, to: until, id: top.id });
    if (until >= done) done = until + 1n;
  };
  const closeBefore = (start: bigint): void => {
    for (let top = open.at(-1); top !== undefined && top.to < start; top = open.at(-1)) {
      emit(top.to);
      open.pop();
    }
  };
  let last: Interval | undefined;
  for (const interval of intervals.toSorted(byStart)) {
    if (last !== undefined && last.from === interval.from && last.to === interval.to) continue;
    last = interval;
    closeBefore(interval.from);
    if (open.length > 0) emit(interval.from - 1n);
    done = interval.from;
    open.push(interval);
  }
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    emit(top.to);
    open.pop();
  }
  return flat;
}

/** Wider ones first where they start together; JavaScript's sort keeps the order of equal ones. */
function byStart(left: Interval, right: Interval): number {
  if (left.from !== right.from) return left.from < right.from ? -1 : 1;
  if (left.to === right.to) return 0;
  return left.to > right.to ? -1 : 1;
}
