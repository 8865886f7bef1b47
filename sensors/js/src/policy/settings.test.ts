import { expect, test } from 'vitest';

import { NOTHING, settingsOf } from './settings.ts';

test('a policy without the sections observes nothing', () => {
  expect(settingsOf({})).toEqual({
    ...NOTHING,
    llm: { ...NOTHING.llm, providers: ['openai', 'anthropic'], content: true },
  });
});

test('file writes are the one runtime event that must be asked for', () => {
  expect(settingsOf({ js_sensor: {} }).runtime).toEqual({ exec: true, network: true, fs: false, code: true });
  expect(settingsOf({ js_sensor: { runtime: { fs: true, exec: false } } }).runtime).toEqual({
    exec: false,
    network: true,
    fs: true,
    code: true,
  });
});

test('a section that is off above is off', () => {
  expect(settingsOf({ js_sensor: { enable: false, runtime: { enable: true } } }).runtime).toEqual(NOTHING.runtime);
});
