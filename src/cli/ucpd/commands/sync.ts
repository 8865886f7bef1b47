import { UcpError } from '../../../core/errors.ts';
import { field } from '../../../core/unknown.ts';
import type { Output } from '../../output.ts';
import { requireControlPlane } from '../client.ts';
import type { UcpdHost } from '../host.ts';

/** `ucpd sync`: checks the source now and waits for what comes of it. Throws what kept a policy from being loaded. */
export async function sync(host: UcpdHost, output: Output): Promise<void> {
  const { client } = await requireControlPlane(host);
  const result = await client.call('sync', {});
  client.close();
  const error = field(result, 'error');
  if (error !== undefined) {
    const text = `The policy was not loaded: ${String(field(error, 'message'))}`;
    throw new UcpError('POLICY_NOT_LOADED', text, { details: { cause: String(field(error, 'code')) } });
  }
  const policy = field(result, 'policy');
  output.answer(result, () => {
    const what = `${String(field(policy, 'id'))} version ${String(field(policy, 'version'))}`;
    return field(result, 'outcome') === 'activated' ? `activated ${what}` : `nothing newer than ${what}`;
  });
}
