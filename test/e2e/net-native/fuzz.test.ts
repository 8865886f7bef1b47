import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Message } from '../kernel/connection.ts';
import { fuzz, FUZZ_TIMEOUT } from './fuzz.ts';
import { NetHelper } from './helper.ts';
import { base64, framed, query } from './packets.ts';
import { Space } from './space.ts';

const HELLO = { op: 'hello', protocol: 1 };
const RULES = `add table inet ucp
delete table inet ucp
table inet ucp {
  map names { type ipv4_addr : mark; flags timeout; }
  counter seen { }
}`;

test('the network helper lives through requests of any kind', { timeout: FUZZ_TIMEOUT }, async () => {
  await using space = await Space.make();
  await using helper = await NetHelper.start();
  const packet = base64(query('a.example'));
  const element = { set: 'names', family: 4, address: '192.0.2.1', port: 80, rule: 7, timeout: 10 };
  const own = { id: 1, sandbox: 'a' };
  const examples: readonly Message[] = [
    { id: 1, ...HELLO },
    { ...own, op: 'attach', pid: space.pid, generation: 1, rules: RULES },
    { ...own, op: 'update', generation: 2, rules: RULES, destroy: [{ address: '10.0.0.0/8', port: 80 }] },
    { ...own, op: 'elements', add: [element, { ...element, set: 'names', port: 0 }] },
    { ...own, op: 'counters' },
    { ...own, op: 'detach' },
    { ...own, op: 'dns_answer', query: 513, packet },
    { ...own, op: 'dns_drop', query: 514 },
    { ...own, op: 'dns_local', packet },
  ];
  // A process of somebody else must never be named, nor a file be read into rules.
  const tame = (request: Message): Message => {
    const { pid, rules } = request;
    return {
      ...request,
      ...(typeof pid === 'number' && pid > 0 && pid < 2 ** 31 ? { pid: space.pid } : {}),
      ...(typeof rules === 'string' && rules.includes('include') ? { rules: '' } : {}),
    };
  };
  await fuzz(() => helper.connect(), HELLO, examples, tame);

  const net = await helper.hello();
  await net.ask({ op: 'detach', sandbox: 'a' });
  await net.accepted({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules: RULES });
  expect(await net.accepted({ op: 'counters', sandbox: 'a' })).toMatchObject({ counters: { seen: { packets: 0 } } });
  net.close();
});

test('the DNS relay lives through packets of any kind', async () => {
  await using space = await Space.make();
  await using helper = await NetHelper.start();
  const net = await helper.hello();
  await net.accepted({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules: RULES });
  const damage = fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 4 });
  const packet = fc.tuple(fc.domain(), damage, fc.nat(60)).map(([name, bytes, cut]) => {
    const whole = query(name);
    for (const [at, byte] of bytes) whole[at % whole.length] = byte;
    return cut < 20 ? whole.subarray(0, cut) : whole;
  });
  const packets = fc.sample(packet, { numRuns: 2_000, seed: 7 });
  const ask = async (): Promise<void> => {
    const send = { address: '127.0.0.1', port: 5053 };
    await space.tell({ do: 'udp', ...send, packets: packets.map(base64), count: 1, ms: 200 });
    await space.tell({
      do: 'tcp',
      ...send,
      data: base64(Buffer.concat(packets.map(framed))),
      until: 1_000_000,
      ms: 500,
    });
  };
  await ask();
  net.close();
  await net.closed;
  // Nobody is there: what has a question is answered at once.
  await ask();
  const again = await helper.hello();
  const { dns } = await again.accepted({ op: 'counters', sandbox: 'a' });
  expect(dns).toMatchObject({ failed: expect.any(Number), dropped: expect.any(Number) });
  expect((dns as { failed: number }).failed).toBeGreaterThan(500);
  again.close();
});
