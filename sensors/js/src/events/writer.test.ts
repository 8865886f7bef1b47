import { expect, test, vi } from 'vitest';

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
function outlet() {
  const written: string[] = [];
  const state = { begun: 0, open: true, full: false };
  const listening: { ready?: () => void; lost?: (lines: string) => void } = {};
  let count = 0;
  const writer = new EventWriter({
    nextId: () => `id-${count++}`,
    generation: () => 7,
    open: (on) => {
      Object.assign(listening, on);
      return {
        begin: () => {
          state.begun += 1;
        },
        get open() {
          return state.open;
        },
        write: (text) => {
          if (state.full) return false;
          written.push(text);
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
    id: 'id-1',
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
  expect(names().map((line) => JSON.parse(line).id)).toEqual(['id-0', 'id-1']);
});

test('a full socket keeps the order', () => {
  const { writer, state, names } = outlet();
  state.full = true;
  writer.emit(broken);
  state.full = false;
  writer.emit(broken);
  expect(names().map((line) => JSON.parse(line).id)).toEqual(['id-0', 'id-1']);
});

test('an event that is too long loses its body and keeps its verdict', () => {
  const { writer, names } = outlet();
  const attributes = { 'gen_ai.tool.name': 'x'.repeat(300_000) };
  writer.emit({ ...broken, attributes });
  expect(names()[0]?.length).toBeLessThan(4096);
  expect(JSON.parse(names()[0] ?? '')).toMatchObject({ violation: broken.violation, body: { left_out: 300_256 } });
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
