import { describe, expect, test } from 'vitest';

import { startOtlpReceiver } from '../../../test/fakes/otlp-receiver.ts';
import { critical, normal, Scene, turns } from '../testing/scene.ts';

/** Sends one event and waits until the receiver has accepted it. */
async function sendOne(scene: Scene, step?: number): Promise<ReturnType<Scene['telemetry']>> {
  const telemetry = scene.telemetry();
  telemetry.emit(critical(1));
  await scene.until('accepted', () => scene.receiver.records().length > 0, step);
  return telemetry;
}

describe('retry', () => {
  test.each([429, 502, 503, 504])('repeats a request answered %d until it is taken', async (status) => {
    await using scene = await Scene.create();
    scene.receiver.script({ status }, { status });
    await sendOne(scene);
    expect(scene.receiver.requests().length).toBe(3);
  });

  test('has no last attempt: a hundred 503 and more cost nothing', async () => {
    await using scene = await Scene.create();
    scene.receiver.script(...Array.from({ length: 100 }, () => ({ status: 503 })));
    const telemetry = await sendOne(scene, 60_000);
    expect(scene.receiver.records().length).toBe(1);
    await scene.until('reported', () => scene.names().includes('export_recovered'));
    expect(telemetry.counters()).toMatchObject({ lost: {}, export: { state: 'ok', failures: 0 } });
  });

  test.each(['reset', 'trickle', 'hang'] as const)('repeats a request whose answer breaks: %s', async (fault) => {
    await using scene = await Scene.create();
    scene.receiver.script({ break: fault });
    const telemetry = scene.telemetry({ limits: { requestTimeout: 30_000 } });
    telemetry.emit(critical(1));
    await scene.until('the first request', () => scene.receiver.requests().length === 1);
    await scene.until('repeated', () => scene.receiver.requests().length > 1, 5000);
    await scene.until('taken', () => telemetry.counters().export.exported.critical === 1, 1);
    expect(scene.receiver.records().length).toBeGreaterThan(0);
  });

  test('sends the same ids again where the receiver took a request and the connection broke', async () => {
    await using scene = await Scene.create();
    scene.receiver.script({ break: 'accept-reset' });
    scene.telemetry().emit(critical(1));
    await scene.until('twice', () => scene.receiver.records().length === 2);
    const ids = scene.receiver.records().map(({ attributes }) => attributes['log.record.uid']);
    expect(new Set(ids).size).toBe(1);
  });

  test('reaches a receiver that starts later', async () => {
    await using scene = await Scene.create();
    const port = Number(new URL(scene.receiver.url).port);
    await scene.receiver.close();
    const telemetry = scene.telemetry();
    telemetry.emit(critical(1));
    await scene.until('an attempt failed', () => telemetry.counters().export.failures > 1);
    expect(telemetry.counters().export).toMatchObject({
      state: 'retrying',
      last_error: expect.stringContaining('ECONNREFUSED'),
    });
    const late = await startOtlpReceiver({ port });
    await scene.until('accepted', () => late.records().length > 0);
    await late.close();
  });

  test.each([
    ['120', 120_000],
    [new Date(Date.UTC(2026, 0, 1, 0, 1, 40)).toUTCString(), 99_000],
    ['-1', 1500],
    ['garbage', 1500],
  ])('with Retry-After: %s sends nothing for the next %d ms', async (header, pause) => {
    await using scene = await Scene.create();
    scene.receiver.script({ status: 429, headers: { 'retry-after': header } });
    const telemetry = scene.telemetry();
    telemetry.emit(critical(1));
    await scene.until('refused', () => telemetry.counters().export.failures === 1, 1);
    scene.clock.advance(pause - 10);
    await turns(50);
    expect(scene.receiver.requests().length).toBe(1);
    scene.clock.advance(1010);
    await scene.until('accepted', () => scene.receiver.records().length === 1, 1);
  });
});

describe('partial success', () => {
  test('counts what the receiver dropped, reports it once and never sends it again', async () => {
    await using scene = await Scene.create();
    scene.receiver.script({ partial: { rejected: 3, message: 'too old' } });
    const telemetry = scene.telemetry();
    for (let n = 0; n < 10; n++) telemetry.emit(critical(n));
    await scene.until('reported', () => scene.names().includes('export_rejected'));
    expect(scene.receiver.records().at(-1)?.body).toEqual({ count: 3, message: 'too old' });
    expect(scene.receiver.records().length).toBe(11);
    expect(telemetry.counters().export.rejected).toBe(3);
  });

  test('with none dropped is a success, whatever its message', async () => {
    await using scene = await Scene.create();
    scene.receiver.script({ partial: { rejected: 0, message: 'be nice' } });
    const telemetry = await sendOne(scene);
    await telemetry.flush(1000);
    expect(scene.names()).toEqual(['sandbox_started']);
  });

  test('of reports alone is counted and not reported again', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(({ records }) => ({ partial: { rejected: records.length, message: 'all' } }));
    const telemetry = await sendOne(scene);
    await scene.until('counted', () => telemetry.counters().export.rejected === 2);
    await telemetry.flush(1000);
    expect(scene.names()).toEqual(['sandbox_started', 'export_rejected']);
  });
});

describe('refusal', () => {
  const poison = 137;
  const poisoned = (body: unknown): boolean => JSON.stringify(body) === `{"n":${poison}}`;

  test.each([400, 413, 422, 500])('with %d isolates the one record at fault among 512', async (status) => {
    await using scene = await Scene.create();
    scene.receiver.decide(({ records }) => (records.some(({ body }) => poisoned(body)) ? { status } : undefined));
    const telemetry = scene.telemetry();
    for (let n = 1; n <= 512; n++) telemetry.emit(normal(n));
    await scene.until('reported', () => scene.names().includes('export_dead_letter'));
    const arrived = scene.receiver.records().filter(({ eventName }) => eventName === 'process_exec');
    expect(arrived.map(({ body }) => body)).toEqual(
      Array.from({ length: 512 }, (_, k) => ({ n: k + 1 })).filter((body) => !poisoned(body)),
    );
    expect(scene.receiver.requests().length).toBeLessThan(30);
    expect(telemetry.counters()).toMatchObject({ lost: {}, export: { dead_lettered: 1, exported: { normal: 511 } } });
    expect(scene.receiver.records().find(({ eventName }) => eventName === 'export_dead_letter')?.body).toMatchObject({
      event_name: 'process_exec',
      seq: poison,
      reason: `HTTP ${status}`,
    });
  });

  test.each([401, 403, 404, 500, 307])(
    'of everything with %d gives nothing up: it waits until one passes',
    async (status) => {
      await using scene = await Scene.create();
      scene.receiver.decide(() => ({ status, headers: { location: `${scene.receiver.url}/elsewhere` } }));
      const telemetry = scene.telemetry();
      for (let n = 1; n <= 20; n++) telemetry.emit(critical(n));
      await scene.until('suspended', () => telemetry.counters().export.failures > 3);
      expect(telemetry.counters().export).toMatchObject({
        state: 'suspended',
        last_error: `HTTP ${status}`,
        dead_lettered: 0,
      });
      expect(scene.receiver.requests().every(({ path }) => path === '/v1/logs')).toBe(true);
      scene.receiver.decide(() => undefined);
      await scene.until('arrived', () => scene.names().filter((name) => name === 'sandbox_started').length === 20);
      const sent = scene.receiver.records().filter(({ eventName }) => eventName === 'sandbox_started');
      expect(sent.map(({ body }) => body)).toEqual(Array.from({ length: 20 }, (_, k) => ({ n: k + 1 })));
    },
  );

  test('of a report is counted and not reported again', async () => {
    await using scene = await Scene.create();
    scene.receiver.decide(({ records }) =>
      records.some(({ eventName }) => eventName !== 'export_probe') ? { status: 400 } : undefined,
    );
    const telemetry = scene.telemetry();
    telemetry.emit(critical(1));
    await scene.until('both buried', () => telemetry.counters().export.dead_lettered === 2);
    await telemetry.flush(1000);
    expect(telemetry.counters().export.dead_lettered).toBe(2);
  });
});

describe('requests', () => {
  test('are compressed unless the receiver cannot take it', async () => {
    await using scene = await Scene.create();
    const fields = { body: { text: 'x'.repeat(10_000) } };
    const first = scene.telemetry();
    first.emit(normal(1, fields));
    await first.flush(5000);
    first.setTarget({ eventUrl: scene.receiver.url, compression: 'none' });
    first.emit(normal(2, fields));
    await first.flush(5000);
    const [zipped, plain] = scene.receiver.requests();
    expect(zipped?.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/x-protobuf' });
    expect(zipped?.bytes.sent).toBeLessThan(1000);
    expect(plain?.headers['content-encoding']).toBeUndefined();
    expect(plain?.bytes.sent).toBe(plain?.bytes.plain);
  });

  test('stay below their bound, and an event alone above it is set aside without being sent', async () => {
    await using scene = await Scene.create();
    const telemetry = scene.telemetry({ limits: { requestBytes: 6000 } });
    for (let n = 0; n < 20; n++) telemetry.emit(normal(n, { body: { text: 'x'.repeat(n === 7 ? 9000 : 1000) } }));
    await scene.until('all but one', () => scene.receiver.records().length === 20);
    expect(Math.max(...scene.receiver.requests().map(({ bytes }) => bytes.plain))).toBeLessThanOrEqual(6000);
    expect(scene.names().filter((name) => name === 'export_dead_letter').length).toBe(1);
  });

  test('reach a receiver on IPv6', async () => {
    await using scene = await Scene.create();
    const six = await startOtlpReceiver({ host: '::1' });
    const telemetry = scene.telemetry({ eventUrl: six.url });
    telemetry.emit(critical(1));
    await telemetry.flush(5000);
    expect(six.records().length).toBe(1);
    await six.close();
  });

  test.each([
    ['a body of ten megabytes', { body: new Uint8Array(10_000_000) }],
    ['another content type', { headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') }],
    ['bytes that are no response', { body: Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]) }],
    ['no content', { body: new Uint8Array() }],
  ])('answered 200 with %s are taken, once', async (_, fault) => {
    await using scene = await Scene.create();
    scene.receiver.script(fault);
    const telemetry = await sendOne(scene);
    expect(await telemetry.flush(1000)).toBe(true);
    expect(scene.receiver.requests().length).toBe(1);
    expect(telemetry.counters().export).toMatchObject({ state: 'ok', exported: { critical: 1 } });
  });
});
