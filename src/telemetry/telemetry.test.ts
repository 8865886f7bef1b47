import { describe, expect, test } from 'vitest';

import { UcpError } from '../core/errors.ts';
import { logDir, readLog, type StoredEvent } from './index.ts';
import { critical, normal, Scene } from './testing/scene.ts';

async function logged(dir: string): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of readLog(logDir(dir))) events.push(event);
  return events;
}

describe('telemetry', () => {
  test('brings an event to the receiver and to the local log, with one id', async () => {
    await using scene = await Scene.create();
    const telemetry = scene.telemetry({ host: { id: 'host-1', name: 'box' } });
    telemetry.emit({
      name: 'policy_lifecycle',
      domain: 'pcm',
      severity: 'INFO',
      scope: 'ucpd.pcm',
      body: { action: 'policy_download_attempt', delay: 300, error: null, startup_state: 'ColdStartup' },
    });
    expect(await telemetry.flush(5000)).toBe(true);
    const [record] = scene.receiver.records();
    expect(record).toMatchObject({
      eventName: 'policy_lifecycle',
      severityText: 'INFO',
      severityNumber: 9,
      time: scene.clock.now(),
      body: { action: 'policy_download_attempt', delay: 300, error: null, startup_state: 'ColdStartup' },
      attributes: { event_name: 'policy_lifecycle', domain: 'pcm', hostid: 'host-1', 'ucp.seq': 1 },
      resource: { 'service.name': 'ucp', 'host.id': 'host-1', 'host.name': 'box' },
      scope: { name: 'ucpd.pcm' },
    });
    const [line] = await logged(scene.dir);
    expect(line?.id).toBe(record?.attributes['log.record.uid']);
  });

  test('keeps the local log without any receiver', async () => {
    await using scene = await Scene.create();
    const telemetry = scene.telemetry({ eventUrl: undefined });
    telemetry.emit(normal(1));
    expect(await telemetry.durable()).toBe(true);
    expect(await telemetry.flush(1000)).toBe(true);
    expect((await logged(scene.dir)).map(({ body }) => body)).toEqual([{ n: 1 }]);
    expect(telemetry.counters().export.state).toBe('off');
    expect(scene.receiver.requests()).toEqual([]);
  });

  test('takes any event without throwing, and counts what it cannot write', async () => {
    await using scene = await Scene.create();
    const telemetry = scene.telemetry();
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new TypeError('no');
        },
      },
    );
    telemetry.emit(normal(1, { body: hostile }));
    telemetry.emit(normal(2));
    await telemetry.flush(5000);
    expect(telemetry.counters()).toMatchObject({ invalid: 1, emitted: { normal: 1 } });
    expect(scene.receiver.records().map(({ attributes }) => attributes['ucp.seq'])).toEqual([1]);
  });

  test('refuses an address that is none', async () => {
    await using scene = await Scene.create();
    expect(() => scene.telemetry({ eventUrl: 'collector:4318' })).toThrow(UcpError);
  });

  test('goes on with another receiver when the target changes, and stops with none', async () => {
    await using scene = await Scene.create();
    await using other = await Scene.create();
    const telemetry = scene.telemetry();
    telemetry.emit(critical(1));
    await telemetry.flush(5000);
    telemetry.setTarget({ eventUrl: `${other.receiver.url}/v1/logs`, headers: { authorization: 'Bearer x' } });
    telemetry.emit(critical(2));
    await telemetry.flush(5000);
    telemetry.setTarget(undefined);
    telemetry.emit(critical(3));
    await telemetry.flush(5000);
    expect(scene.receiver.records().map(({ body }) => body)).toEqual([{ n: 1 }]);
    expect(other.receiver.records().map(({ body }) => body)).toEqual([{ n: 2 }]);
    expect(other.receiver.requests()[0]).toMatchObject({ path: '/v1/logs', headers: { authorization: 'Bearer x' } });
    expect(telemetry.counters().export.state).toBe('off');
  });

  test('leaves on disk what a closed receiver did not take, for the next start', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(() => ({ status: 503 }));
    const first = scene.telemetry();
    for (let n = 1; n <= 20; n++) first.emit(n % 2 === 0 ? critical(n) : normal(n));
    await first.close(0);
    expect(scene.receiver.records()).toEqual([]);
    scene.receiver.decide(() => undefined);
    const second = scene.telemetry();
    await scene.until('all arrived', () => scene.receiver.records().length === 20);
    expect(second.counters()).toMatchObject({ emitted: { critical: 0 }, lost: {} });
    const ids = scene.receiver.records().map(({ attributes }) => attributes['log.record.uid']);
    expect(new Set(ids).size).toBe(20);
  });

  test('counts what is emitted after close', async () => {
    await using scene = await Scene.create();
    const telemetry = scene.telemetry();
    await telemetry.close(1000);
    telemetry.emit(critical(1));
    expect(telemetry.counters().lost).toEqual({ 'critical.closed': 1 });
  });
});
