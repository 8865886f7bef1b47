import { Argument, Command, Option } from 'commander';
import { z } from 'zod';

import { UcpError } from '../../../core/errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readPolicy } from '../files.ts';
import { ask, json } from '../query/ask.ts';
import { type Domain, DOMAINS, isDomain, QueryOptions } from '../query/query.ts';

/** Options of `check` that are JSON. */
const JSON_OPTIONS: ReadonlySet<string> = new Set(['args', 'response']);

/** `ucp-policy check --policy FILE DOMAIN QUERY`: 0 allowed, 1 denied, 2 no answer. */
export function command(cli: Cli): Command {
  const definition = new Command('check')
    .description('Ask a policy one question. Exit code: 0 allowed, 1 denied, 2 the question has no answer.')
    .addArgument(new Argument('<domain>', 'what is asked about').choices(Object.keys(DOMAINS)))
    .argument('<query>', 'the question')
    .option('--policy <file>', 'policy file', 'policy.json')
    .addHelpText(
      'after',
      `\nQuestions:\n${Object.entries(DOMAINS)
        .map(([domain, form]) => `  ${domain.padEnd(14)} ${form}`)
        .join('\n')}\n`,
    );
  for (const option of queryOptions()) definition.addOption(option);
  return verb<Record<string, unknown> & { policy: string }>(
    cli,
    definition,
    ([domain = '', query = ''], { policy: file, json: _json, ...given }, output) => {
      const options = parsed(given);
      const { policy } = readPolicy(file);
      const answer = ask(policy, { domain: domainOf(domain), query, ...options });
      output.answer(answer, () => {
        const colour = answer.verdict === 'denied' ? 'red' : answer.verdict === 'allowed' ? 'green' : 'yellow';
        const rule = answer.rule === undefined ? 'no rule speaks about it' : `rule ${answer.rule}`;
        const first = `${output.paint(colour, answer.verdict)}: ${lines(`${rule} (${answer.mode})`)}`;
        return answer.message === '' ? first : `${first}\n${lines(answer.message)}`;
      });
      return answer.verdict === 'denied' ? EXIT.failed : EXIT.ok;
    },
    EXIT.usage,
  );
}

/** The options of questions, from their schema. */
function queryOptions(): Option[] {
  return Object.entries(QueryOptions.shape).map(([name, schema]) => {
    const inner = schema.unwrap();
    const description = inner.description ?? '';
    if (inner instanceof z.ZodBoolean) return new Option(`--${name}`, description);
    const option = new Option(`--${name} <${JSON_OPTIONS.has(name) ? 'json' : 'value'}>`, description);
    return inner instanceof z.ZodEnum ? option.choices(inner.options.map(String)) : option;
  });
}

function parsed(given: Readonly<Record<string, unknown>>): QueryOptions {
  const read = Object.entries(given).map(([name, value]) => [
    name,
    JSON_OPTIONS.has(name) && typeof value === 'string' ? json(value) : value,
  ]);
  const options = QueryOptions.safeParse(Object.fromEntries(read));
  if (!options.success) throw new UcpError('POLICY_QUERY', z.prettifyError(options.error));
  return options.data;
}

function domainOf(text: string): Domain {
  if (isDomain(text)) return text;
  throw new UcpError('POLICY_QUERY', `expected ${Object.keys(DOMAINS).join(', ')}, got "${text}"`);
}
