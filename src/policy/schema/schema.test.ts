import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../core/json.ts';
import { inherit, onErrorOf } from './inherit.ts';
import { policyJsonSchema } from './json-schema.ts';
import { sizeInBytes } from './size.ts';
import { cidrProblem, hostProblem } from './syntax.ts';

describe('networks', () => {
  test.each([
    '10.0.0.0/8',
    '1.2.3.4',
    '0.0.0.0/0',
    '::/0',
    'fd00::/8',
    '64:ff9b::/96',
    '::ffff:0.0.0.0/96',
    '2001:db8::1/128',
  ])('%s is one', (text) => expect(cidrProblem(text)).toBe(undefined));

  test.each([
    '',
    'x',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4/33',
    '1.2.3.4/08',
    '1.2.3.4/',
    '1.2.3.4/8/8',
    '::1/129',
    'fe80::1%eth0',
    '1.2.3.4/-1',
  ])('%j is none', (text) => expect(cidrProblem(text)).toMatch(/^expected/));

  test.each(['10.0.0.1/8', 'fd00::1/8', '64:ff9b::1.2.3.4/96'])('%s has bits that do not count', (text) =>
    expect(cidrProblem(text)).toMatch(/clear them/),
  );
});

describe('NET-05, NET-07: host names', () => {
  test.each([
    'example.com',
    'localhost',
    '*.example.com',
    'A.Example.COM',
    'xn--bcher-kva.example',
    '_srv.example',
    'a-b.c',
  ])('%s is one', (text) => expect(hostProblem(text)).toBe(undefined));

  test.each([
    '*',
    '*.com',
    '*.*.com',
    'a.*.com',
    'ex*.com',
    'example.com.',
    'a..b',
    '-a.b',
    'a b.c',
    'user@host',
    'host:443',
    'http://host',
    'host/path',
    '%65xample.com',
    '1.2.3',
    '0x7f.1',
    '2130706433',
    'bücher.example',
    '',
  ])('%j is none', (text) => expect(hostProblem(text)).toEqual(expect.any(String)));
});

describe('sizes', () => {
  test.each([
    [1024, 1024],
    ['1024', 1024],
    ['1k', 1024],
    ['512m', 512 * 2 ** 20],
    ['1.5g', 1.5 * 2 ** 30],
    ['2GB', 2 * 2 ** 30],
    ['lots', undefined],
    ['-1', undefined],
    ['', undefined],
  ])('%j is %j bytes', (size, bytes) => expect(sizeInBytes(size)).toBe(bytes));
});

describe('inheritance', () => {
  test.each([
    [[undefined], false, 'observe'],
    [[{}], true, 'observe'],
    [[{ remediate: true }], true, 'enforce'],
    [[{ enable: false }, { enable: true }], false, 'observe'],
    [[{ enable: true, remediate: true }, undefined, { remediate: false }], true, 'observe'],
    [[{ remediate: true }, {}, undefined], true, 'enforce'],
    [[undefined, { enable: true }], false, 'observe'],
    [[{}, { enable: false, remediate: true }], false, 'enforce'],
  ] as const)('%j: enabled %s, %s', (path, enabled, mode) => expect(inherit(path)).toEqual({ enabled, mode }));

  test('a failing sensor does what its section says, else what its mode asks for', () => {
    expect(onErrorOf(undefined, 'observe')).toBe('allow');
    expect(onErrorOf({}, 'enforce')).toBe('block');
    expect(onErrorOf({ on_error: 'allow' }, 'enforce')).toBe('allow');
  });
});

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every object schema in a schema. */
function* objects(schema: JsonValue): Generator<JsonObject> {
  if (Array.isArray(schema)) for (const item of schema) yield* objects(item);
  if (!isObject(schema)) return;
  if (schema['type'] === 'object') yield schema;
  for (const value of Object.values(schema)) yield* objects(value);
}

describe('the JSON Schema', () => {
  test('takes notes of authors in every section and nothing else unknown', () => {
    const sections = [...objects(policyJsonSchema())].filter(({ properties }) => properties !== undefined);
    expect(sections.length).toBeGreaterThan(20);
    for (const section of sections) {
      expect(section).toMatchObject({ additionalProperties: false, patternProperties: { '^x-': {} } });
    }
  });

  test('describes every key', () => {
    const silent = [...objects(policyJsonSchema())].flatMap(({ properties }) =>
      Object.entries(properties !== undefined && isObject(properties) ? properties : {})
        .filter(([, property]) => isObject(property) && property['description'] === undefined)
        .map(([key]) => key),
    );
    expect(silent).toEqual([]);
  });
});
