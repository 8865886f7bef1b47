import { rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import type { NewEvent } from '../../core/events.ts';
import { storedLine, type StoredEvent } from '../event/stored-event.ts';
import { critical, normal, Scene, turns } from '../testing/scene.ts';
import type { OpenFile } from './segment.ts';
import { Spool } from './spool.ts';

describe('a spool directory that cannot be used', () => {
  test('keeps events in memory, exports them from there, says so, and goes back to disk', async () => {
    await using scene = await Scene.create();
    writeFileSync(join(scene.dir, 'spool'), 'a file where the directory should be');
    const telemetry = scene.telemetry();
    for (let n = 1; n <= 100; n++) telemetry.emit(n % 10 === 0 ? critical(n) : normal(n));
    expect(await telemetry.durable()).toBe(false);
    await scene.until('all exported', () => scene.receiver.records().length === 101);
    expect(telemetry.counters().spool).toMatchObject({ state: 'degraded', error: expect.stringContaining('EEXIST') });
    expect(scene.names()).toContain('spool_degraded');
    expect(telemetry.counters().lost).toEqual({});

    rmSync(join(scene.dir, 'spool'));
    scene.clock.advance(60_000);
    telemetry.emit(critical(101));
    await scene.until('restored', () => scene.names().includes('spool_restored'));
    expect(await telemetry.durable()).toBe(true);
    expect(telemetry.counters().spool).toMatchObject({ state: 'ok', error: null });
    expect(scene.names().filter((name) => name === 'spool_degraded').length).toBe(1);
  });

  test('bounds memory: normal events go first, and all that went is counted', async () => {
    await using scene = await Scene.create();
    writeFileSync(join(scene.dir, 'spool'), '');
    scene.receiver.decide(() => ({ status: 503 }));
    const telemetry = scene.telemetry({ limits: { spool: { memoryBytes: 100_000 } } });
    for (let n = 1; n <= 1000; n++) {
      telemetry.emit(n % 10 === 0 ? critical(n) : normal(n));
      if (n % 100 === 0) await turns(5);
    }
    expect(telemetry.counters().spool?.memory_bytes).toBeLessThanOrEqual(100_000);
    scene.receiver.decide(() => undefined);
    await scene.until('caught up', () => {
      const { waiting } = telemetry.counters().spool ?? {};
      return waiting?.critical === 0 && waiting.normal === 0;
    });
    await telemetry.flush(1000);
    const { lost, emitted } = telemetry.counters();
    expect(lost['normal.memory_full']).toBeGreaterThan(0);
    expect(scene.names().filter((name) => name === 'sandbox_started').length).toBe(100);
    for (const cls of ['critical', 'normal'] as const) {
      const arrived = scene.receiver.records().filter(({ attributes }) => attributes['ucp.class'] === cls).length;
      expect(scene.lost(cls)).toBe(lost[`${cls}.memory_full`] ?? 0);
      expect(arrived + scene.lost(cls)).toBe(emitted[cls]);
    }
  });
});

/** Files share `budget` bytes; a write beyond it is done in part, as the kernel does it. */
function fullDisk(budget: { bytes: number }): OpenFile {
  return async (...args) => {
    const handle = await open(...args);
    const write = handle.write.bind(handle);
    const limited = async (buffer: Buffer, offset: number, length: number): Promise<unknown> => {
      if (budget.bytes <= 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      const part = Math.min(length, budget.bytes);
      budget.bytes -= part;
      return write(buffer, offset, part);
    };
    // The one overload that segments use.
    Reflect.set(handle, 'write', limited);
    return handle;
  };
}

describe('a full disk', () => {
  test('gives up its oldest normal files for critical events, and loses none of these', async () => {
    await using scene = await Scene.create();
    const budget = { bytes: 20_000 };
    const told: NewEvent[] = [];
    const boot = '0d7c6a3e-7c1b-4f3e-9c57-3b1c0a4f2e11';
    const spool = new Spool({
      dir: join(scene.dir, 'spool'),
      boot,
      clock: scene.clock,
      limits: { diskBytes: 1_000_000, segmentBytes: 4000, memoryBytes: 1_000_000 },
      report: (event) => told.push(event),
      available: () => undefined,
      openFile: fullDisk(budget),
    });
    const push = (seq: number, event: NewEvent): void => {
      const line = storedLine(event, { id: `${event.name}-${seq}`, now: 1, boot, seq });
      spool.push(event.domain === 'exec' ? 'normal' : 'critical', { seq, line, bytes: Buffer.byteLength(line) });
    };
    for (let seq = 1; seq <= 60; seq++) {
      push(seq, normal(seq));
      await spool.idle();
    }
    for (let seq = 1; seq <= 30; seq++) push(seq, critical(seq));
    await scene.until('the disk is full', () => spool.state().state === 'degraded');
    // Deleting gave room, as it does on a real disk.
    budget.bytes = 100_000;
    await scene.until('written', () => spool.state().state === 'ok', 30_000);
    await spool.idle();

    const taken: StoredEvent[] = [];
    for (let events = await spool.take(100, 1e6); events.length > 0; events = await spool.take(100, 1e6)) {
      taken.push(...events);
      spool.settle(events);
    }
    const seqs = (cls: string): readonly number[] => taken.filter((event) => event.class === cls).map(({ seq }) => seq);
    expect(seqs('critical')).toEqual(Array.from({ length: 30 }, (_, k) => k + 1));
    const lost = spool.losses.totals()['normal.spool_full'] ?? 0;
    expect(lost).toBeGreaterThan(0);
    expect(seqs('normal')).toEqual(Array.from({ length: 60 - lost }, (_, k) => lost + k + 1));
    expect(told.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['spool_degraded', 'spool_restored', 'export_gap']),
    );
    await spool.close();
  });
});
