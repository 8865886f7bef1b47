import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { Scene } from '../testing/scene.ts';

const WRITER = join(import.meta.dirname, '../testing/writer.ts');

/** Runs the writer until it has said at least `wanted` numbers, kills it, and returns the last one it said. */
async function killedAfter(wanted: number, scene: Scene): Promise<number> {
  const child = spawn(process.execPath, [WRITER, scene.dir, scene.receiver.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.split('\n').length > wanted) child.kill('SIGKILL');
  });
  await closed;
  return Number(said.split('\n').at(-2) ?? 0);
}

test.each([1, 37, 500])('nothing that was acknowledged is lost by kill -9 after %d events', async (wanted) => {
  await using scene = await Scene.create();
  // Some requests are taken and their answers lost, so the program dies between delivery and acknowledgement, too.
  let request = 0;
  scene.receiver.decide(() => (++request % 2 === 0 ? { break: 'accept-reset' } : { status: 503 }));
  const acknowledged = await killedAfter(wanted, scene);
  expect(acknowledged).toBeGreaterThanOrEqual(wanted);
  scene.receiver.decide(() => undefined);
  const telemetry = scene.telemetry();
  await telemetry.flush(5000);

  const started = scene.receiver.records().filter(({ eventName }) => eventName === 'sandbox_started');
  const byId = new Map(started.map(({ attributes, body }) => [attributes['log.record.uid'], body]));
  const arrived = [...byId.values()];
  expect(arrived.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, k) => ({ n: k + 1 })));
  // A duplicate has the id of the first: as many ids as numbers.
  expect(new Set(arrived.map((body) => JSON.stringify(body))).size).toBe(byId.size);
});
