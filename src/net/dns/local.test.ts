import { describe, expect, test } from 'vitest';

import type { NameQuery } from '../dns-port.ts';
import { decode, encode } from './codec.ts';
import { nameResolver } from './resolver.ts';
import { a, asks, reads, rulesOf, zone } from './testing.ts';

const rules = rulesOf({ db: [1], 'api.example.com': [2] });

/** A resolver with the engine's embedded one, which knows `db` and sends everything else back to us. */
function scene(embedded?: (packet: Uint8Array) => Promise<Uint8Array>) {
  const upstream = zone([a('api.example.com', '198.51.100.7')]);
  const resolver = nameResolver({ clock: { monotonic: () => 0 }, upstream });
  const ask = async (packet: Uint8Array): Promise<ReturnType<typeof reads>> => reads(await answered(packet));
  const query = { transport: 'udp', sandboxId: 's', rules, servers: [] } as const;
  const knows = async (packet: Uint8Array): Promise<Uint8Array> => {
    const asked = decode(Buffer.from(packet));
    if (asked?.questions?.[0]?.name !== 'db') return (await answered(packet)) ?? new Uint8Array();
    return encode({ ...asked, type: 'response', answers: [a('db', '172.20.0.3')], additionals: [] });
  };
  const answered = async (packet: Uint8Array): Promise<NameQuery['packet'] | undefined> =>
    (await resolver.answer({ ...query, packet, askLocal: embedded ?? knows })).packet;
  return { upstream, ask };
}

describe("the engine's embedded resolver", () => {
  test('answers for the names of containers', async () => {
    const { upstream, ask } = scene();
    expect((await ask(asks('db'))).answers).toMatchObject([{ data: '172.20.0.3' }]);
    expect(upstream.asked).toEqual([]);
  });

  test('sends what it does not know back to us: that is no loop, and the name is asked upstream', async () => {
    const { upstream, ask } = scene();
    expect((await ask(asks('api.example.com'))).answers).toMatchObject([{ data: '198.51.100.7' }]);
    expect(upstream.asked).toEqual(['api.example.com A']);
  });

  test('is asked for permitted names only', async () => {
    const asked: Uint8Array[] = [];
    const { ask } = scene((packet) => {
      asked.push(packet);
      return Promise.reject(new Error('not there'));
    });
    expect((await ask(asks('cache'))).rcode).toBe(3);
    expect(asked).toEqual([]);
    expect((await ask(asks('api.example.com'))).rcode).toBe(0);
    expect(asked).toHaveLength(1);
  });

  test('may be silent or answer nonsense: the name is asked upstream', async () => {
    const { upstream, ask } = scene(() => Promise.resolve(Buffer.from('nonsense')));
    expect((await ask(asks('api.example.com'))).rcode).toBe(0);
    expect(upstream.asked).toHaveLength(1);
  });
});
