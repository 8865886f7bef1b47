import { UcpError } from '../../../core/errors.ts';
import { compileA2a, compileExec, decideA2aCard, decideExec, hostEngine, type Policy } from '../../../policy/index.ts';
import { z } from 'zod';
import { type Answer, toAnswer } from './answer.ts';
import { askHttpServer, askName, askStdioServer } from './ask-mcp.ts';
import { askIngress, askNetwork } from './ask-network.ts';
import { askOptions } from './ask-options.ts';
import type { Domain, Query } from './query.ts';

const Card = z.object({
  name: z.string(),
  description: z.string().optional(),
  skills: z.array(z.object({ name: z.string().optional(), description: z.string().optional() })).optional(),
});

const ASK: Readonly<Record<Domain, (policy: Policy, query: Query) => Answer>> = {
  exec: askExec,
  network: askNetwork,
  ingress: askIngress,
  tool: (policy, query) => askName(policy, 'tool', query),
  resource: (policy, query) => askName(policy, 'resource', query),
  prompt: (policy, query) => askName(policy, 'prompt', query),
  method: (policy, query) => askName(policy, 'method', query),
  'http-server': askHttpServer,
  'stdio-server': askStdioServer,
  card: askCard,
  volume: (policy, query) => askOptions(policy, { ...query, domain: 'volume' }),
  env: (policy, query) => askOptions(policy, { ...query, domain: 'env' }),
  user: (policy, query) => askOptions(policy, { ...query, domain: 'user' }),
  namespace: (policy, query) => askOptions(policy, { ...query, domain: 'namespace' }),
  limit: (policy, query) => askOptions(policy, { ...query, domain: 'limit' }),
};

/**
 * Asks a policy one question; the same functions answer that the sensors use. Throws POLICY_QUERY or
 * NETWORK_CONFIG_UNKNOWN for a question that has no answer.
 */
export function ask(policy: Policy, query: Query): Answer {
  return ASK[query.domain](policy, query);
}

function askExec(policy: Policy, { query, used, origin }: Query): Answer {
  for (const path of [query, ...(used === undefined ? [] : [used])]) {
    if (!path.startsWith('/')) throw new UcpError('POLICY_QUERY', `expected an absolute path, got "${path}"`);
  }
  return toAnswer(decideExec(compileExec(policy), { path: query, usedPath: used, origin }));
}

function askCard(policy: Policy, { query }: Query): Answer {
  const card = Card.safeParse(json(query));
  if (!card.success) {
    throw new UcpError('POLICY_QUERY', `expected an agent card as JSON: ${z.prettifyError(card.error)}`);
  }
  return toAnswer(decideA2aCard(compileA2a(policy, hostEngine), card.data));
}

/** JSON of the command line. Throws POLICY_QUERY. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UcpError('POLICY_QUERY', `expected JSON, got "${text}"`, { cause });
  }
}
