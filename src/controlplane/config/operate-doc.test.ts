import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { ERRORS } from '../../core/error-codes/index.ts';
import { parseConfig } from './parse-config.ts';
import { Config } from './schema.ts';

const TEXT = readFileSync(new URL('../../../docs/operate.md', import.meta.url), 'utf8');

/** Dotted names of all keys. */
function keys(schema: z.core.JSONSchema.BaseSchema, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) =>
    typeof value === 'boolean' ? [] : [`${prefix}${name}`, ...keys(value, `${prefix}${name}.`)],
  );
}

/** First column of the table whose head begins so. */
function column(head: string): string[] {
  const table = TEXT.slice(TEXT.indexOf(`| ${head} |`)).split('\n\n')[0] ?? '';
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
}

describe('docs/operate.md', () => {
  test('has every key of the configuration', () => {
    expect(column('key').sort()).toEqual(keys(z.toJSONSchema(Config, { io: 'input' })).sort());
  });

  test('names codes that exist', () => {
    const codes = column('`error.code` of a check');
    expect(codes).not.toEqual([]);
    expect(codes.filter((code) => !(code in ERRORS))).toEqual([]);
  });

  test('has examples that are valid', () => {
    const examples = [...TEXT.matchAll(/```yaml\n(# config\.yaml\n[^]*?)```/g)].map(([, text = '']) => text);
    expect(examples).toHaveLength(2);
    for (const text of examples) expect(() => parseConfig(text, 'example')).not.toThrow();
  });
});
