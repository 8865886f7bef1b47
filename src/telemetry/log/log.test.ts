import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { storedLine, type StoredEvent } from '../event/stored-event.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { critical, turns } from '../testing/scene.ts';
import { readLog, type ReadLogOptions } from './reader.ts';
import { LogWriter } from './writer.ts';

const LIMITS = { fileBytes: 2000, files: 3, memoryBytes: 100_000 };
const line = (seq: number): string => storedLine(critical(seq), { id: `id-${seq}`, now: seq * 1000, boot: 'b', seq });

async function write(log: LogWriter, from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq++) {
    log.write(line(seq));
    await log.idle();
  }
}

describe('the local log', () => {
  let dir: string;
  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'ucp-log-')), 'log');
  });
  afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

  async function read(options: ReadLogOptions = {}): Promise<readonly number[]> {
    const events: StoredEvent[] = [];
    for await (const event of readLog(dir, options)) events.push(event);
    return events.map(({ seq }) => seq);
  }

  test('gives back what was written, in order, from any time on', async () => {
    const log = new LogWriter(dir, LIMITS);
    await write(log, 1, 5);
    expect(await read()).toEqual([1, 2, 3, 4, 5]);
    expect(await read({ since: 3000 })).toEqual([3, 4, 5]);
    await log.close();
  });

  test('is empty before anything was written', async () => {
    expect(await read()).toEqual([]);
  });

  test('keeps its size: the oldest file goes, across restarts', async () => {
    for (let round = 0; round < 4; round++) {
      const log = new LogWriter(dir, LIMITS);
      await write(log, round * 20 + 1, round * 20 + 20);
      await log.close();
    }
    const sizes = readdirSync(dir).map((name) => statSync(join(dir, name)).size);
    expect(sizes.length).toBe(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2000);
    const kept = await read();
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, k) => 81 - kept.length + k));
  });

  test('passes over a line that a crash cut short, and goes on behind it', async () => {
    const first = new LogWriter(dir, LIMITS);
    await write(first, 1, 2);
    await first.close();
    const path = join(dir, 'events-00000001.jsonl');
    writeFileSync(path, readFileSync(path).subarray(0, -5));
    const second = new LogWriter(dir, LIMITS);
    await write(second, 3, 3);
    expect(await read()).toEqual([1, 3]);
    await second.close();
  });

  test('follows what is written, through rotations, until told to stop', async () => {
    const log = new LogWriter(dir, { ...LIMITS, files: 100 });
    const clock = new ManualClock();
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { seq } of readLog(dir, { follow: { clock, signal: stop.signal } })) seen.push(seq);
    })();
    await write(log, 1, 40);
    while (seen.length < 40) {
      await turns(1);
      clock.advance(200);
    }
    stop.abort();
    await following;
    expect(seen).toEqual(Array.from({ length: 40 }, (_, k) => k + 1));
    expect(readdirSync(dir).length).toBeGreaterThan(2);
    await log.close();
  });

  test('counts lines that the disk does not take', async () => {
    mkdirSync(join(dir, '..'), { recursive: true });
    writeFileSync(dir, '');
    const log = new LogWriter(dir, LIMITS);
    await write(log, 1, 3);
    expect(log).toMatchObject({ dropped: 3, error: expect.stringContaining('EEXIST') });
    rmSync(dir);
    await write(log, 4, 4);
    expect(log).toMatchObject({ dropped: 3, error: null });
    expect(await read()).toEqual([4]);
    await log.close();
  });
});
