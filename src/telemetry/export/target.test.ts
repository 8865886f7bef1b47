import { expect, test } from 'vitest';

import { logsUrl } from './target.ts';

test.each([
  ['http://collector:4318', 'http://collector:4318/v1/logs'],
  ['http://collector:4318/', 'http://collector:4318/v1/logs'],
  ['https://collector/otlp', 'https://collector/otlp/v1/logs'],
  ['https://collector/v1/logs', 'https://collector/v1/logs'],
  ['https://collector/v1/logs/', 'https://collector/v1/logs'],
  ['http://[::1]:4318?tenant=a', 'http://[::1]:4318/v1/logs?tenant=a'],
])('%s is posted to %s', (given, url) => {
  expect(logsUrl(given).href).toBe(url);
});

test.each(['', 'collector:4318', 'ftp://collector', '/v1/logs'])('%j is refused', (given) => {
  expect(() => logsUrl(given)).toThrow(expect.objectContaining({ code: 'EVENT_URL' }));
});
