import { describe, expect, test, vi } from 'vitest';

import { EventIds } from './ids.ts';
import type { NewLine } from './line.ts';
import { EventWriter } from './writer.ts';

const seen: NewLine = { name: 'mcp_tool_call', domain: 'mcp', body: { tool: 'echo' } };
const broken: NewLine = {
  name: 'mcp_violation',
  domain: 'mcp',
  body: {},
  violation: { rule: '/r', mode: 'enforce', action: 'blocked', message: 'no' },
};

/** A socket that can be full or away. */
function outlet(pid?: number) {
  const written: string[] = [];
  const state = { begun: 0, open: true, full: false, generation: 7 };
  const listening: { ready?: () => void; lost?: (lines: string) => void } = {};
  const ids = new EventIds(42);
  const writer = new EventWriter({
    ids,
    generation: () => state.generation,
    now: () => Date.now(),
    pid,
    open: (on) => {
      Object.assign(listening, on);
      return {
        begin: () => {
          state.begun += 1;
        },
        get open() {
          return state.open;
        },
        write: (bytes) => {
          if (state.full) return false;
          written.push(bytes.toString());
          return true;
        },
      };
    },
  });
  return {
    writer,
    state,
    ready: () => listening.ready?.(),
    lost: (lines: string) => listening.lost?.(lines),
    names: () => written.join('').trim().split('\n').filter(Boolean),
  };
}

test('a violation leaves at once, and what was seen before it leaves first', () => {
  const { writer, names, state } = outlet();
  writer.emit(seen);
  expect(names()).toEqual([]);
  expect(state.begun).toBe(0);
  writer.emit(broken);
  expect(state.begun).toBe(1);
  expect(names().map((line) => JSON.parse(line).name)).toEqual(['mcp_tool_call', 'mcp_violation']);
  expect(JSON.parse(names()[1] ?? '')).toMatchObject({
    v: 1,
    id: expect.stringMatching(/^[a-z0-9]+-16-[a-z0-9]+-00000001$/),
    generation: 7,
    severity: 'ERROR',
    scope: 'js_sensor',
  });
});

test('observability leaves in company', () => {
  vi.useFakeTimers();
  const { writer, names } = outlet();
  writer.emit(seen);
  writer.emit(seen);
  writer.flush();
  vi.useRealTimers();
  expect(names()).toHaveLength(2);
});

test('a socket that is away costs nothing and gets everything later, once', () => {
  const { writer, state, ready, names } = outlet();
  state.open = false;
  writer.emit(broken);
  writer.emit(broken);
  expect(names()).toEqual([]);
  state.open = true;
  ready();
  ready();
  expect(names().map((line) => JSON.parse(line).id.slice(-3))).toEqual(['000', '001']);
});

test('a full socket keeps the order', () => {
  const { writer, state, names } = outlet();
  state.full = true;
  writer.emit(broken);
  state.full = false;
  writer.emit(broken);
  expect(names().map((line) => JSON.parse(line).id.slice(-3))).toEqual(['000', '001']);
});

test('an event that is too long loses its body and keeps its verdict', () => {
  const { writer, names } = outlet();
  const attributes = { 'gen_ai.tool.name': 'x'.repeat(300_000) };
  writer.emit({ ...broken, attributes });
  expect(names()[0]?.length).toBeLessThan(4096);
  const told = JSON.parse(names()[0] ?? '') as { readonly body: { readonly left_out: number } };
  expect(told).toMatchObject({ violation: broken.violation });
  expect(told.body.left_out).toBeGreaterThan(300_000);
});

test('a body that JSON cannot carry loses the body only', () => {
  const { writer, names } = outlet();
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  writer.emit({ ...broken, body: loop as NewLine['body'] });
  expect(JSON.parse(names()[0] ?? '')).toMatchObject({ name: 'mcp_violation', body: { unprintable: true } });
});

test('a program that never rests: what has come together leaves without a timer', () => {
  const { writer, names } = outlet();
  for (let count = 0; count < 2000; count++) writer.emit(seen);
  expect(names().length).toBeGreaterThan(1000);
  expect(names().every((line) => JSON.parse(line).name === 'mcp_tool_call')).toBe(true);
});

test('a full queue leaves before a violation is lost, where the socket takes lines again', () => {
  const { writer, state, names } = outlet();
  state.full = true;
  const long = { text: 'x'.repeat(100_000) };
  writer.emit({ ...seen, body: long });
  for (let count = 0; count < 19; count++) writer.emit({ ...broken, body: long });
  state.full = false;
  writer.emit({ ...broken, body: long });
  writer.emit(broken);
  expect(names().map((line) => JSON.parse(line) as { readonly lost?: number })).toHaveLength(22);
  expect(names().filter((line) => line.includes('"lost"'))).toEqual([]);
});

test('lost lines are told with the next line that leaves, once, whatever becomes of the lines in between', () => {
  const { writer, state, ready, names } = outlet();
  state.open = false;
  const long: NewLine = { ...seen, body: { text: 'x'.repeat(100_000) } };
  for (let count = 0; count < 40; count++) writer.emit(long);
  for (let count = 0; count < 30; count++) writer.emit({ ...broken, body: { text: 'x'.repeat(100_000) } });
  state.open = true;
  ready();
  writer.emit(broken);
  const lines = names().map((line) => JSON.parse(line) as { readonly lost?: number });
  const lost = lines.reduce((sum, line) => sum + (line.lost ?? 0), 0);
  expect(lines.length + lost).toBe(71);
  expect(lines.filter((line) => line.lost !== undefined)).toHaveLength(1);
});

test('lines that never left whole are lost, with the losses of which they were to tell', () => {
  const { writer, lost, names } = outlet();
  lost('half a line"}\n{"v":1,"lost":5}\n');
  writer.emit(broken);
  expect(JSON.parse(names()[0] ?? '')).toMatchObject({ name: 'mcp_violation', lost: 7 });
  writer.emit(broken);
  expect(JSON.parse(names()[1] ?? '')).not.toHaveProperty('lost');
});

describe('prepared lines', () => {
  const listed: NewLine = {
    ...seen,
    body: { server: 'sérver' },
    attributes: { 'gen_ai.tool.name': 'écho "quoted"' },
  };

  test('say what lines that are made one by one say, each with its id, time, duration and generation', () => {
    vi.useFakeTimers();
    const { writer, names, state } = outlet(4711);
    const line = writer.prepare(listed);
    const durations = [0, 9, 10, 12_345, 999_999_999, 7];
    durations.forEach((duration, at) => {
      vi.setSystemTime(1_800_000_000_999 + at);
      state.generation = at < 3 ? 7 : 12;
      writer.emitPrepared(line, at === 1 ? 'tool_error' : 'ok', duration, at === 2 ? ',"listed":3,"hidden":1' : '');
    });
    writer.emit(listed);
    writer.flush();
    vi.useRealTimers();
    const lines = names().map((text) => JSON.parse(text) as Record<string, unknown>);
    const single = lines.pop();
    expect(lines).toEqual(
      durations.map((duration_ms, at) => ({
        ...single,
        id: expect.any(String),
        time: 1_800_000_000_999 + at,
        generation: at < 3 ? 7 : 12,
        body: {
          server: 'sérver',
          outcome: at === 1 ? 'tool_error' : 'ok',
          duration_ms,
          ...(at === 2 ? { listed: 3, hidden: 1 } : {}),
        },
      })),
    );
    expect(new Set([...lines, single].map((one) => one?.['id'])).size).toBe(7);
  });

  test('have an id of their own each, however many there are', () => {
    const { writer, names } = outlet();
    const [one, other] = [writer.prepare(seen), writer.prepare(listed)];
    for (let count = 0; count < 3000; count++) writer.emitPrepared(count % 3 === 0 ? one : other, 'ok', count);
    writer.flush();
    const ids = names().map((text) => JSON.parse(text).id as string);
    expect(ids).toHaveLength(3000);
    expect(new Set(ids).size).toBe(3000);
    expect(names().map((text) => JSON.parse(text).body.duration_ms)).toEqual(
      Array.from({ length: 3000 }, (_, at) => at),
    );
  });

  test('are shortened where a peer has a name of a length that no line takes', () => {
    const { writer, names } = outlet();
    const long = { ...seen, attributes: { 'gen_ai.tool.name': 'x'.repeat(300_000) } };
    writer.emitPrepared(writer.prepare(long), 'ok', 1);
    writer.flush();
    expect(names()[0]?.length).toBeLessThan(4096);
    expect(JSON.parse(names()[0] ?? '')).toMatchObject({ name: 'mcp_tool_call', body: { outcome: 'ok' } });
  });

  test('a clock that is set before 2001 gives the first time that they know', () => {
    vi.useFakeTimers({ now: 12_345 });
    const { writer, names } = outlet();
    writer.emitPrepared(writer.prepare(seen), 'ok', 1);
    writer.flush();
    vi.useRealTimers();
    expect(JSON.parse(names()[0] ?? '')).toMatchObject({ time: 1_000_000_000_000 });
  });
});
