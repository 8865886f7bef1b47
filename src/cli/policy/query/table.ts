import { parseDocument } from 'yaml';
import { z } from 'zod';

import { UcpError } from '../../../core/errors.ts';
import { VERDICTS } from './answer.ts';
import { type Domain, DOMAINS, isDomain, type Query, QueryOptions } from './query.ts';

/** One line of a table: a question, and what is expected of the answer. */
export interface Case {
  readonly name: string;
  readonly query: Query;
  readonly expect: z.infer<typeof Expected>;
  readonly rule?: string;
}

export interface Table {
  /** Policy file, relative to the table. */
  readonly policy?: string;
  readonly cases: readonly Case[];
}

const Expected = z.enum(VERDICTS);

const Line = z.looseObject({
  name: z.string().optional(),
  expect: Expected,
  rule: z.string().optional(),
});

const Document = z.strictObject({
  policy: z.string().optional(),
  cases: z.array(Line).min(1),
});

const MAX_TABLE_BYTES = 8 * 1024 * 1024;

/** Reads a table (YAML, so JSON too). Throws POLICY_TEST_TABLE. */
export function readTable(bytes: Uint8Array): Table {
  if (bytes.length > MAX_TABLE_BYTES) throw malformed(`the table has more than ${MAX_TABLE_BYTES} bytes`);
  const document = parseDocument(Buffer.from(bytes).toString('utf8'), { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) throw malformed(error.message, error);
  const read = Document.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!read.success) throw malformed(z.prettifyError(read.error));
  const { policy, cases } = read.data;
  return { ...(policy === undefined ? {} : { policy }), cases: cases.map(toCase) };
}

/** The key that is a domain holds the question; the others are its options. */
function toCase({ name, expect, rule, ...rest }: z.infer<typeof Line>, index: number): Case {
  const domains = Object.keys(rest).filter(isDomain);
  const [domain] = domains;
  if (domain === undefined || domains.length > 1) {
    throw malformed(
      `case ${index + 1}: expected one of ${Object.keys(DOMAINS).join(', ')}, got ${domains.join(', ') || 'none'}`,
    );
  }
  const { [domain]: asked, ...given } = rest;
  const options = QueryOptions.safeParse(given);
  if (!options.success) throw malformed(`case ${index + 1}: ${z.prettifyError(options.error)}`);
  return {
    name: name ?? `${domain} ${text(domain, asked, index)}`,
    query: { domain, query: text(domain, asked, index), ...options.data },
    expect,
    ...(rule === undefined ? {} : { rule }),
  };
}

/** A card may be written out instead of being JSON in a string. */
function text(domain: Domain, asked: unknown, index: number): string {
  if (domain === 'card' && typeof asked === 'object') return JSON.stringify(asked);
  if (typeof asked === 'string') return asked;
  throw malformed(`case ${index + 1}: expected a text for ${domain}, got ${JSON.stringify(asked)}`);
}

function malformed(message: string, cause?: unknown): UcpError {
  return new UcpError('POLICY_TEST_TABLE', `The table is malformed: ${message}`, { cause });
}
