import { mkdir, open, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { EventClass } from '../../core/events.ts';
import { field } from '../../core/unknown.ts';
import { Segment } from './segment.ts';

/** For each class, the oldest file that is not settled, and how many of its records are. */
export type Acks = Readonly<Partial<Record<EventClass, Ack>>>;

interface Ack {
  readonly file: number;
  readonly settled: number;
}

/** What an earlier start left behind. */
export interface Found {
  /** In the order of their numbers. */
  readonly segments: readonly Segment[];
  /** Files that no event could be read from. */
  readonly unreadable: readonly string[];
  /** Number of the next file. */
  readonly next: number;
}

const NAME = /^(critical|normal)-(\d{10})\.seg$/;
const ACKS = 'acks.json';

export function segmentPath(dir: string, cls: EventClass, number: number): string {
  return join(dir, `${cls}-${String(number).padStart(10, '0')}.seg`);
}

/** Opens or makes the spool's directory: recovers every segment, drops what is settled. */
export async function openDirectory(dir: string): Promise<Found> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const acks = await readAcks(dir);
  const segments: Segment[] = [];
  const unreadable: string[] = [];
  // Never a number that an acknowledgement names: after a power cut the file may be gone and the number free.
  let next = 1 + Math.max(0, ...Object.values(acks).map(({ file }) => file));
  for (const name of (await readdir(dir)).toSorted(byNumber)) {
    const match = NAME.exec(name);
    if (match === null) continue;
    const number = Number(match[2]);
    next = Math.max(next, number + 1);
    const ack = acks[match[1] === 'critical' ? 'critical' : 'normal'];
    const segment = await Segment.recover(join(dir, name), number);
    if (segment === undefined) {
      unreadable.push(name);
      await unlink(join(dir, name)).catch(() => undefined);
      continue;
    }
    if (ack !== undefined && number < ack.file) segment.settled = segment.records;
    if (number === ack?.file) segment.settled = Math.min(ack.settled, segment.records);
    if (segment.left === 0 && segment.torn === 0) await segment.remove();
    else segments.push(segment);
  }
  return { segments, unreadable, next };
}

/** Replaces the acknowledgements in one step. Losing the newest costs duplicates (with the same ids), never events. */
export async function writeAcks(dir: string, acks: Acks): Promise<void> {
  const temporary = join(dir, `${ACKS}.new`);
  await writeFile(temporary, JSON.stringify(acks), { mode: 0o600 });
  await rename(temporary, join(dir, ACKS));
}

/** Makes a file's creation durable. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readAcks(dir: string): Promise<Acks> {
  try {
    const value: unknown = JSON.parse(await readFile(join(dir, ACKS), 'utf8'));
    const [critical, normal] = [ackOf(field(value, 'critical')), ackOf(field(value, 'normal'))];
    return { ...(critical && { critical }), ...(normal && { normal }) };
  } catch {
    // None yet, or damaged: everything found is sent again.
    return {};
  }
}

function ackOf(value: unknown): Ack | undefined {
  const [file, settled] = [field(value, 'file'), field(value, 'settled')];
  return typeof file === 'number' && typeof settled === 'number' ? { file, settled } : undefined;
}

function byNumber(a: string, b: string): number {
  return Number(NAME.exec(a)?.[2] ?? 0) - Number(NAME.exec(b)?.[2] ?? 0);
}
