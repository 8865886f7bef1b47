import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import type { ReceivedRecord } from '../../../test/fakes/otlp-receiver-decode.ts';
import { critical, normal, Scene, turns } from '../testing/scene.ts';
import { openDirectory } from './directory.ts';

const KiB = 1024;
const SMALL = { spool: { diskBytes: 64 * KiB, segmentBytes: 8 * KiB, memoryBytes: 1024 * KiB } };

/** A body of about `size` bytes. */
const bulk = (n: number, size: number): { body: { n: number; text: string } } => ({
  body: { n, text: 'x'.repeat(size) },
});

const seqOf = ({ attributes }: ReceivedRecord): number => Number(attributes['ucp.seq']);
const seqs = (records: readonly ReceivedRecord[], name: string): readonly number[] =>
  records.filter(({ eventName }) => eventName === name).map(seqOf);

const count = (length: number): readonly number[] => Array.from({ length }, (_, k) => k + 1);
const files = (dir: string): readonly string[] =>
  readdirSync(join(dir, 'spool')).filter((name) => name.endsWith('.seg'));

describe('an outage', () => {
  test('of ten minutes loses nothing and keeps the order', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const telemetry = scene.telemetry();
    for (let second = 0; second < 600; second++) {
      for (let k = 0; k < 20; k++) telemetry.emit(k === 0 ? critical(k) : normal(k));
      scene.clock.advance(1000);
      await turns(1);
    }
    scene.receiver.decide(() => undefined);
    await scene.until('all arrived', () => scene.receiver.records().length >= 12_000, 60_000);
    const records = scene.receiver.records();
    expect(seqs(records, 'process_exec')).toEqual(count(11_400));
    expect(seqs(records, 'sandbox_started')).toEqual(count(600));
    expect(telemetry.counters().lost).toEqual({});
    await scene.until('nothing is left on disk', () => files(scene.dir).length <= 2);
  });

  test('longer than the disk is large gives up the oldest normal events, and says exactly which', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const telemetry = scene.telemetry({ limits: SMALL });
    for (let n = 1; n <= 400; n++) {
      telemetry.emit(n % 10 === 0 ? critical(n, bulk(n, 500)) : normal(n, bulk(n, 500)));
      if (n % 10 === 0) await telemetry.durable();
    }
    expect(telemetry.counters().spool?.disk_bytes).toBeLessThanOrEqual(SMALL.spool.diskBytes);
    scene.receiver.decide(() => undefined);
    await scene.until(
      'caught up',
      () => telemetry.counters().spool?.waiting.normal === 0 && files(scene.dir).length <= 2,
    );
    await telemetry.flush(1000);
    const records = scene.receiver.records();
    expect(seqs(records, 'sandbox_started').length).toBe(40);
    const arrived = new Set(seqs(records, 'process_exec'));
    const lost = scene.gaps();
    expect(arrived.size + scene.lost('normal')).toBe(360);
    expect(lost.every((gap) => gap.class === 'normal' && gap.reason === 'spool_full')).toBe(true);
    // The ranges are exact: nothing in them arrived, everything else did.
    for (let seq = 1; seq <= 360; seq++) {
      expect(lost.some((gap) => seq >= gap.from && seq <= gap.to)).toBe(!arrived.has(seq));
    }
    expect(telemetry.counters().lost).toEqual({ 'normal.spool_full': 360 - arrived.size });
  });

  test('in which critical events alone fill the disk gives up the oldest of them, and says exactly which', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const telemetry = scene.telemetry({ limits: SMALL });
    for (let n = 1; n <= 200; n++) {
      telemetry.emit(critical(n, bulk(n, 500)));
      if (n % 10 === 0) telemetry.emit(normal(n, bulk(n, 500)));
      await telemetry.durable();
    }
    scene.receiver.decide(() => undefined);
    await scene.until('caught up', () => telemetry.counters().spool?.waiting.critical === 0);
    await telemetry.flush(1000);
    const records = scene.receiver.records();
    const arrived = new Set(records.filter(({ attributes }) => attributes['ucp.class'] === 'critical').map(seqOf));
    expect(arrived.size).toBeGreaterThan(50);
    expect(scene.lost('critical')).toBeGreaterThan(50);
    // Reports of earlier losses were among the lost: what they told of is told all the same.
    expect(arrived.size + scene.lost('critical')).toBe(telemetry.counters().emitted.critical);
    expect(seqs(records, 'process_exec').length + scene.lost('normal')).toBe(20);
  });
});

test('a burst of ten thousand in one go keeps the critical ones and counts the others exactly', async () => {
  await using scene = await Scene.create();
  const telemetry = scene.telemetry({ limits: { spool: { memoryBytes: 512 * KiB } } });
  for (let n = 1; n <= 10_000; n++) telemetry.emit(n % 50 === 0 ? critical(n) : normal(n));
  await scene.until('caught up', () => telemetry.counters().spool?.waiting.critical === 0);
  await scene.until('all sent', () => telemetry.counters().spool?.waiting.normal === 0);
  await telemetry.flush(1000);
  const records = scene.receiver.records();
  expect(seqs(records, 'sandbox_started')).toEqual(expect.objectContaining({ length: 200 }));
  const lost = scene.lost('normal');
  expect(lost).toBeGreaterThan(0);
  expect(seqs(records, 'process_exec').length + lost).toBe(9800);
  expect(telemetry.counters().lost).toEqual({ 'normal.memory_full': lost });
});

describe('a restart', () => {
  test('after a write torn at any byte sends every event that was whole, and says that one was torn', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const first = scene.telemetry();
    for (let n = 1; n <= 2; n++) first.emit(critical(n));
    await first.close(0);
    scene.receiver.decide(() => undefined);
    const [name = ''] = files(scene.dir);
    const whole = readFileSync(join(scene.dir, 'spool', name));
    const one = (whole.length - 32) / 2;
    const tear = (cut: number): string => {
      const dir = join(scene.dir, 'spool');
      rmSync(dir, { recursive: true });
      mkdirSync(dir);
      writeFileSync(join(dir, name), whole.subarray(0, cut));
      return dir;
    };
    for (let cut = 0; cut < whole.length; cut++) {
      const { segments, unreadable } = await openDirectory(tear(cut));
      const events = await Promise.all(segments.map(async (segment) => segment.read(10, 1e6)));
      await Promise.all(segments.map(async (segment) => segment.close()));
      expect(events.flat().length).toBe(Math.max(0, Math.floor((cut - 32) / one)));
      expect(segments.some(({ torn }) => torn > 0)).toBe(cut > 32 && (cut - 32) % one !== 0);
      expect(unreadable.length).toBe(cut < 32 ? 1 : 0);
    }
    for (const [cut, complete] of [
      [10, 0],
      [40, 0],
      [32 + one, 1],
      [40 + one, 1],
      [whole.length - 1, 1],
    ] as const) {
      scene.receiver.clear();
      tear(cut);
      const telemetry = scene.telemetry();
      await telemetry.flush(5000);
      await telemetry.close(5000);
      expect(seqs(scene.receiver.records(), 'sandbox_started').length).toBe(complete);
      expect(scene.names().includes('spool_torn')).toBe(cut > 32 && cut !== 32 + one);
    }
  });

  test('does not send again what was taken', async () => {
    await using scene = await Scene.create();
    const first = scene.telemetry();
    for (let n = 1; n <= 5; n++) first.emit(critical(n));
    await first.flush(5000);
    scene.receiver.decide(() => ({ status: 503 }));
    for (let n = 6; n <= 9; n++) first.emit(critical(n));
    await first.durable();
    await first.close(0);
    scene.receiver.decide(() => undefined);
    const second = scene.telemetry();
    await scene.until('the rest', () => scene.receiver.records().length >= 9);
    await second.flush(1000);
    expect(seqs(scene.receiver.records(), 'sandbox_started')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('with its acknowledgements damaged or gone sends again with the same ids', async () => {
    await using scene = await Scene.create();
    const first = scene.telemetry();
    for (let n = 1; n <= 5; n++) first.emit(critical(n));
    await first.flush(5000);
    scene.receiver.decide(() => ({ status: 503 }));
    first.emit(critical(6));
    await first.close(0);
    scene.receiver.decide(() => undefined);
    writeFileSync(join(scene.dir, 'spool/acks.json'), '{"critical":');
    const second = scene.telemetry();
    await second.flush(5000);
    const ids = scene.receiver.records().map(({ attributes }) => attributes['log.record.uid']);
    expect(ids.length).toBe(11);
    expect(new Set(ids).size).toBe(6);
  });

  test('with a record damaged on disk sends the others and counts that one', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const first = scene.telemetry();
    for (let n = 1; n <= 5; n++) first.emit(critical(n));
    await first.close(0);
    scene.receiver.decide(() => undefined);
    const [name = ''] = files(scene.dir);
    const handle = await open(join(scene.dir, 'spool', name), 'r+');
    await handle.write('#', 32 + Math.floor(((await handle.stat()).size - 32) / 5) + 40);
    await handle.close();
    const second = scene.telemetry();
    await scene.until('reported', () => scene.names().includes('export_gap'));
    await second.flush(1000);
    expect(seqs(scene.receiver.records(), 'sandbox_started')).toEqual([1, 3, 4, 5]);
    expect(scene.gaps()).toEqual([{ class: 'critical', from: 2, to: 2, count: 1, reason: 'damaged' }]);
  });
});
