import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { until } from '../helpers/docker.ts';
import type { KernelConnection, Message } from '../kernel/connection.ts';
import type { Result } from './commands.ts';
import { NetHelper } from './helper.ts';
import { base64, failure, framed, query, response } from './packets.ts';
import { Space } from './space.ts';

/** What a network configuration does about DNS, and nothing else. */
const RULES = `add table inet ucp
delete table inet ucp
table inet ucp {
  chain dns { type nat hook output priority -110;
    meta mark 0x55 return
    meta l4proto { tcp, udp } th dport 53 redirect to :5053
  }
}`;
/** Questions of one sandbox that may wait, and connections it may have. */
const PENDING = 512;
const STREAMS = 32;

const packetOf = (question: Message): Buffer => Buffer.from(String(question['packet']), 'base64');

describe('the DNS relay', () => {
  let helper: NetHelper;
  let net: KernelConnection;
  let space: Space;

  beforeAll(async () => {
    helper = await NetHelper.start();
  });
  afterAll(async () => helper[Symbol.asyncDispose]());
  beforeEach(async () => {
    net = await helper.hello();
    space = await Space.make();
    await net.accepted({ op: 'attach', sandbox: 'a', pid: space.pid, generation: 1, rules: RULES });
    return async () => {
      await net.ask({ op: 'detach', sandbox: 'a' });
      net.close();
      await net.closed;
      await space[Symbol.asyncDispose]();
    };
  });

  const questions = (): readonly Message[] => net.events.filter(({ event }) => event === 'dns_query');
  /** Answers questions as they come with these words behind them. */
  const answering = async (count: number, words = 'ok'): Promise<void> => {
    await until(`${count} questions`, () => questions().length >= count);
    await Promise.all(
      questions().map((question) =>
        net.accepted({
          op: 'dns_answer',
          sandbox: 'a',
          query: question['query'],
          packet: base64(response(packetOf(question), words)),
        }),
      ),
    );
  };
  const udp = async (packets: readonly Buffer[], count: number, address = '192.0.2.1', ms = 5_000): Promise<Result> =>
    space.tell({ do: 'udp', address, port: 53, packets: packets.map(base64), count, ms });
  const tcp = async (data: Buffer, expected: number, address = '10.1.1.1', more = {}): Promise<Result> =>
    space.tell({ do: 'tcp', address, port: 53, data: base64(data), until: expected, ...more });
  const counters = async (): Promise<unknown> => (await net.accepted({ op: 'counters', sandbox: 'a' }))['dns'];

  test('carries a datagram to the control plane and its answer back, whomever was asked', async () => {
    for (const [at, address] of ['10.1.1.1', '127.0.0.11', 'fd09::9'].entries()) {
      const question = query(`name${at}.example`, at);
      const asked = udp([question], 1, address);
      await until('the question', () => questions().length === at + 1);
      expect(questions()[at]).toMatchObject({ sandbox: 'a', transport: 'udp', packet: base64(question) });
      const answer = response(question, 'answer');
      const { query: number } = questions()[at] ?? {};
      const request = { op: 'dns_answer', sandbox: 'a', query: number, packet: base64(answer) };
      expect(await net.accepted(request)).toMatchObject({ delivered: true });
      expect(await net.accepted(request)).toMatchObject({ delivered: false });
      expect(await asked).toEqual({ got: [base64(answer)], error: '' });
    }
    expect(await counters()).toEqual({ queries: 3, answered: 3, failed: 0, dropped: 0 });
  });

  test('carries each of many datagrams back to the one who asked', async () => {
    const asked = [1, 2, 3, 4].map(async (from) => {
      const packets = Array.from({ length: 50 }, (_, at) => query(`n${from}-${at}.example`, at));
      const { got } = await udp(packets, 50, '10.1.1.1');
      expect(got.toSorted()).toEqual(packets.map((packet) => base64(response(packet, 'ok'))).toSorted());
    });
    await Promise.all([answering(200), ...asked]);
  });

  test('carries what comes over TCP: in pieces, several at once, both ways half-closed', async () => {
    const packets = ['one.example', 'two.example', 'three.example'].map(query);
    const data = Buffer.concat(packets.map(framed));
    const answers = packets.map((packet) => framed(response(packet, 'x'.repeat(60_000))));
    const length = Buffer.concat(answers).length;
    const [{ got, error }] = await Promise.all([
      tcp(data, length, '10.1.1.1', { end: true }),
      answering(3, 'x'.repeat(60_000)),
    ]);
    expect(error).toBe('');
    const came = Buffer.from(got[0] ?? '', 'base64');
    expect(came.length).toBe(length);
    for (const answer of answers) expect(came.includes(answer)).toBe(true);
    expect(questions().map((question) => question['transport'])).toEqual(['tcp', 'tcp', 'tcp']);
  });

  test('sends nothing where the control plane says so', async () => {
    const datagram = udp([query('a.example')], 1, '10.1.1.1', 300);
    const stream = tcp(framed(query('b.example')), 100);
    await until('both questions', () => questions().length === 2);
    for (const question of questions()) {
      await net.accepted({ op: 'dns_drop', sandbox: 'a', query: question['query'] });
    }
    expect((await datagram).got).toEqual([]);
    expect(await stream).toEqual({ got: [''], error: '' });
  });

  test('answers SERVFAIL when the control plane takes too long, over both', async () => {
    const question = query('slow.example');
    const [datagram, stream] = await Promise.all([
      udp([question], 1, '10.1.1.1', 20_000),
      tcp(framed(question), framed(question).length, '10.1.1.1', { ms: 20_000 }),
    ]);
    expect(datagram.got).toEqual([base64(failure(question))]);
    expect(stream.got).toEqual([base64(framed(failure(question)))]);
    expect(await counters()).toMatchObject({ queries: 2, failed: 2 });
    const late = { op: 'dns_answer', sandbox: 'a', query: questions()[0]?.['query'], packet: base64(question) };
    expect(await net.accepted(late)).toMatchObject({ delivered: false });
  });

  test('answers SERVFAIL at once to who waits when the control plane goes, and goes on with the next one', async () => {
    const question = query('gone.example');
    const waiting = Promise.all([
      udp([question], 1, '10.1.1.1', 20_000),
      tcp(framed(question), framed(question).length, '10.1.1.1', { ms: 20_000 }),
    ]);
    await until('both questions', () => questions().length === 2);
    net.close();
    const [datagram, stream] = await waiting;
    expect(datagram.got).toEqual([base64(failure(question))]);
    expect(stream.got).toEqual([base64(framed(failure(question)))]);
    expect((await udp([question], 1, '10.1.1.1', 20_000)).got).toEqual([base64(failure(question))]);

    net = await helper.connect();
    expect(await net.accepted({ op: 'hello', protocol: 1 })).toMatchObject({
      sandboxes: [{ sandbox: 'a', pid: space.pid, generation: 1 }],
    });
    const [{ got }] = await Promise.all([udp([question], 1, '10.1.1.1'), answering(1)]);
    expect(got).toEqual([base64(response(question, 'ok'))]);
  });

  test('bounds what waits, counts what it drops, and is well afterwards', async () => {
    const flood = Array.from({ length: PENDING + 100 }, (_, at) => query(`n${at}.example`, at));
    await udp(flood, 1, '10.1.1.1', 1);
    await until('all counted', async () => {
      const { queries, dropped } = (await counters()) as Record<string, number>;
      return (queries ?? 0) + (dropped ?? 0) === flood.length;
    });
    expect(await counters()).toMatchObject({ queries: PENDING, dropped: 100 });
    expect(questions()).toHaveLength(PENDING);
    await answering(PENDING);
    net.events.length = 0;
    const [{ got }] = await Promise.all([udp([query('then.example')], 1, '10.1.1.1'), answering(1)]);
    expect(got).toHaveLength(1);
  });

  test('bounds connections', async () => {
    const idle = Array.from({ length: STREAMS }, async () => space.done({ do: 'hold', address: '10.1.1.1', port: 53 }));
    await Promise.all(idle);
    expect(await tcp(framed(query('more.example')), 100)).toMatchObject({ got: [''] });
    expect(await counters()).toMatchObject({ dropped: 1 });
    expect(questions()).toEqual([]);
  });

  test.each([
    ['a datagram that is no query', async () => udp([Buffer.from('nonsense')], 1, '10.1.1.1', 300)],
    ['a datagram that is a response', async () => udp([response(query('a.example'), '')], 1, '10.1.1.1', 300)],
    ['a datagram that is too long', async () => udp([Buffer.alloc(5000)], 1, '10.1.1.1', 300)],
    ['a message over TCP that is too long', async () => tcp(Buffer.from([0x13, 0x88, 1, 2, 3]), 100)],
    ['an empty message over TCP', async () => tcp(Buffer.from([0, 0]), 100)],
    [
      'half a message over TCP',
      async () => tcp(framed(query('a.example')).subarray(0, 20), 100, '10.1.1.1', { end: true }),
    ],
  ])('passes on nothing for %s', async (_, ask) => {
    expect((await ask()).got.join('')).toBe('');
    expect(questions()).toEqual([]);
    const [{ got }] = await Promise.all([udp([query('then.example')], 1, '10.1.1.1'), answering(1)]);
    expect(got).toHaveLength(1);
  });

  test('asks the resolver of the engine from inside', async () => {
    const question = query('db');
    const answer = response(question, 'a container');
    await space.done({ do: 'serve', address: '127.0.0.11', port: 53, answer: base64(framed(answer)) });
    const ask = { op: 'dns_local', sandbox: 'a', packet: base64(question) };
    expect(await Promise.all([net.accepted(ask), net.accepted(ask)])).toMatchObject([
      { packet: base64(answer) },
      { packet: base64(answer) },
    ]);
    expect(questions()).toEqual([]);
  });

  test('says why the resolver of the engine has no answer', async () => {
    const ask = { op: 'dns_local', sandbox: 'a', packet: base64(query('db')) };
    const refused = await net.ask(ask);
    expect(refused).toMatchObject({ code: 'NET_LOCAL_FAILED' });
    expect(refused['message']).toContain('Connection refused');
    await space.done({ do: 'serve', address: '127.0.0.11', port: 53, answer: base64(Buffer.from([0xff])) });
    const silent = await net.ask(ask);
    expect(silent).toMatchObject({ code: 'NET_LOCAL_FAILED' });
    expect(silent['message']).toContain('no answer');
    const interrupted = net.ask(ask);
    await net.accepted({ op: 'detach', sandbox: 'a' });
    expect(await interrupted).toMatchObject({ code: 'NET_LOCAL_FAILED' });
  });
});
