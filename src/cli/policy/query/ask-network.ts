import { UcpError } from '../../../core/errors.ts';
import { compileNetwork, decideEgress, decideIngress, type Policy } from '../../../policy/index.ts';
import { type Answer, toAnswer } from './answer.ts';
import type { Query } from './query.ts';

/** `host:443`, `[::1]:443`, `10.0.0.1:53/udp`. */
const ENDPOINT = /^(\[[^\]]*\]|.*):(\d{1,5})(?:\/(tcp|udp))?$/s;

export function askNetwork(policy: Policy, query: Query): Answer {
  const { host, port, protocol } = endpoint(query.query);
  const compiled = compileNetwork(policy, configOf(policy, query));
  return toAnswer(decideEgress(compiled, { host, port, protocol, address: query.address }));
}

export function askIngress(policy: Policy, query: Query): Answer {
  const { host, port } = endpoint(query.query);
  const compiled = compileNetwork(policy, configOf(policy, query));
  return toAnswer(decideIngress(compiled, { from: host.replace(/^\[(.*)\]$/, '$1'), port }));
}

function configOf(policy: Policy, { config }: Query): string {
  if (config !== undefined) return config;
  const names = Object.keys(policy.network ?? {});
  throw new UcpError(
    'POLICY_QUERY',
    `expected --config NAME; the policy has ${names.length === 0 ? 'none' : names.join(', ')}`,
  );
}

function endpoint(text: string): { host: string; port: number; protocol: 'tcp' | 'udp' } {
  const [, host = '', port = '', protocol = 'tcp'] = ENDPOINT.exec(text) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
    throw new UcpError('POLICY_QUERY', `expected HOST:PORT, with /udp for UDP, got "${text}"`);
  }
  return { host, port: Number(port), protocol: protocol === 'udp' ? 'udp' : 'tcp' };
}
