import { UcpError } from '../../../core/errors.ts';
import { PLAIN_RUN, NAMESPACES, type RunRequest } from '../../../core/run-request.ts';
import { compileOptions, decideOptions, type Policy, sizeInBytes } from '../../../policy/index.ts';
import { type Answer, toAnswer } from './answer.ts';
import type { Query } from './query.ts';

/** A run that asks for nothing. */
const NOTHING: RunRequest = { ...PLAIN_RUN, image: 'any' };

const REQUESTS: Readonly<
  Record<'volume' | 'env' | 'user' | 'namespace' | 'limit', (query: string) => Partial<RunRequest>>
> = {
  volume(query) {
    const [, source = '', mode] = /^(\/.*?)(?::(ro|rw))?$/s.exec(query) ?? [];
    if (source === '') throw malformed('an absolute HOST-PATH, with :rw to write', query);
    return { mounts: [{ type: 'bind', source, target: '/mnt/volume', readOnly: mode !== 'rw' }] };
  },
  env(query) {
    const [, name = '', value = ''] = /^([^=]+)(?:=(.*))?$/s.exec(query) ?? [];
    if (name === '') throw malformed('NAME or NAME=VALUE', query);
    // A variable without a value is asked about as one that has any.
    return { env: { [name]: query.includes('=') ? value : 'value' } };
  },
  user: (query) => ({ user: query }),
  namespace(query) {
    const name = NAMESPACES.find((each) => each === query);
    if (name === undefined) throw malformed(NAMESPACES.join(', '), query);
    return { isolation: [name] };
  },
  limit(query) {
    const [, name = '', amount = ''] = /^(memory|cpus|pids)=(.+)$/.exec(query) ?? [];
    const value = name === 'memory' ? sizeInBytes(amount) : Number(amount);
    if (name === '' || value === undefined || Number.isNaN(value))
      throw malformed('memory=SIZE, cpus=NUMBER or pids=NUMBER', query);
    return { limits: { [name]: value } };
  },
};

/** What a flag would ask of the sandbox, judged as a run would be; paths are taken as they are written. */
export function askOptions(policy: Policy, { domain, query }: Query & { domain: keyof typeof REQUESTS }): Answer {
  const { mode } = compileOptions(policy);
  const { refusals, observed } = decideOptions(
    compileOptions(policy),
    { ...NOTHING, ...REQUESTS[domain](query) },
    {
      defaults: { memory: Number.MAX_SAFE_INTEGER, cpus: Number.MAX_SAFE_INTEGER, pids: Number.MAX_SAFE_INTEGER },
      places: { homes: ['/root'], own: ['/var/lib/ucp', '/etc/ucp'] },
      realPath: (path) => path,
    },
  );
  if (refusals[0] !== undefined) return toAnswer(refusals[0]);
  if (observed[0] !== undefined) {
    const { rule, mode: observedIn, message } = observed[0];
    return { verdict: 'observed', rule, mode: observedIn, message };
  }
  return { verdict: 'allowed', mode: mode.mode, message: '' };
}

function malformed(expected: string, got: string): UcpError {
  return new UcpError('POLICY_QUERY', `expected ${expected}, got "${got}"`);
}
