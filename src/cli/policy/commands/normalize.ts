import { Command } from 'commander';

import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { UcpError } from '../../../core/errors.ts';
import { inspectPolicy, policyInvalid } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, verb } from '../cli.ts';
import { readInput } from '../files.ts';

interface Options {
  readonly policyId?: string;
  readonly policyVersion?: string;
}

/** `ucp-policy normalize FILE`: the canonical document on stdout, what was decided on stderr. */
export function command(cli: Cli): Command {
  const definition = new Command('normalize')
    .description('Rewrite a policy of another layout (flat, brace) in the canonical one. Ambiguity is an error.')
    .argument('<file>', 'policy file, - for stdin')
    .option('--policy-id <id>', 'policy_id, where the document has none')
    .option('--policy-version <number>', 'version, where the document has none');
  return verb<Options>(cli, definition, ([file = ''], { policyId, policyVersion }, output) => {
    const read = inspectPolicy(readInput(file), { head: { policy_id: policyId, version: versionOf(policyVersion) } });
    if (read.policy === undefined || read.canonical === undefined) throw policyInvalid(read.problems);
    const canonical = ordered(read.canonical, Object.keys(read.policy));
    for (const { from, to, reason } of read.decisions) {
      output.note(`${from} -> ${to ?? '(nothing)'}: ${reason}`);
    }
    output.answer({ policy: canonical, decisions: read.decisions }, () => JSON.stringify(canonical, null, 2));
    return EXIT.ok;
  });
}

/** The keys in the schema's order, then the author's own notes. */
function ordered(document: JsonValue, known: readonly string[]): JsonValue {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  const entries = Object.entries(document);
  const rank = (key: string): number => (known.includes(key) ? known.indexOf(key) : known.length);
  const sorted: JsonObject = Object.fromEntries(entries.toSorted(([a], [b]) => rank(a) - rank(b)));
  return sorted;
}

/** Throws USAGE for what is no version number. */
function versionOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new UcpError('USAGE', `expected a whole number for --policy-version, got "${text}"`);
  return Number(text);
}
