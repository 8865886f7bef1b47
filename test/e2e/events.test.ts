import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { startOtlpReceiver } from '../fakes/otlp-receiver.ts';
import { busybox } from '../images/index.ts';
import { until } from './helpers/docker.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

describe('events', () => {
  let host: TestHost;
  let image: string;
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    host = new TestHost({ config: `event_format: OTEL\nevent_url: ${receiver.url}\n` });
    image = await busybox();
  });
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await receiver.close();
  });

  const arrived = (name: string): ReturnType<typeof receiver.records> =>
    receiver.records().filter(({ eventName }) => eventName === name);

  verifies(['EV-02'], 'report start, exit and refusal of a sandbox to the receiver and to the local log', async () => {
    await host.sandbox(['run', '--name', 'ucp-e2e-event', image, 'sh', '-c', 'exit 3']);
    await host.sandbox(['run', '-v', '/etc:/data', image, 'true']);
    await until('events arrived', () =>
      ['sandbox_started', 'sandbox_exited', 'sandbox_refused'].every((name) => arrived(name).length > 0),
    );
    expect(arrived('sandbox_exited')[0]).toMatchObject({
      severityText: 'INFO',
      severityNumber: 9,
      attributes: expect.objectContaining({
        event_name: 'sandbox_exited',
        domain: 'sandbox',
        hostid: expect.stringMatching(/.+/) as string,
      }) as object,
      body: expect.objectContaining({ exit_code: 3 }) as object,
      resource: expect.objectContaining({ 'service.name': 'ucp' }) as object,
    });
    const local = (await host.ucpd(['logs', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; id: string });
    expect(local.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sandbox_started', 'sandbox_exited', 'sandbox_refused']),
    );
    expect(new Set(local.map(({ id }) => id)).size).toBe(local.length);
  });

  verifies(['EV-02', 'CT-04'], 'report isolation that is off', async () => {
    await host.sandbox(['run', '--no-isolation', image, 'true']);
    await until('reported', () => arrived('sandbox_started').some(({ body }) => JSON.stringify(body).includes('pid')));
  });
});

/** It is built first: a minute of both processors. */
const COLLECTORS = process.env['UCP_FULL'] === '1' ? ['docs/operate.md'] : [];

for (const recipe of COLLECTORS) {
  verifies(['EV-02'], `pass through the real Collector as they are, with the recipe of ${recipe}`, async () => {
    const ran = await execa(process.execPath, ['scripts/interop.ts'], { reject: false });
    expect([ran.exitCode, ran.stdout.split('\n').at(-1)]).toEqual([0, expect.stringMatching(/^ok: 3 records/)]);
  });
}
