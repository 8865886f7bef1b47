import { field } from '../../../core/unknown.ts';
import type { Output } from '../../output.ts';
import { requireControlPlane } from '../client.ts';
import type { UcpdHost } from '../host.ts';

/**
 * `ucpd reload`: has the configuration read again, without a restart. Throws what is wrong with it, and then the old one
 * is still in force. A policy that could not be loaded by it is told, and no failure: the next check may find it.
 */
export async function reload(host: UcpdHost, output: Output): Promise<void> {
  const { client } = await requireControlPlane(host);
  const result = await client.call('reload', {}).finally(() => client.close());
  const error = field(result, 'error');
  if (error !== undefined) output.note(`the policy was not loaded: ${String(field(error, 'message'))}`);
  const policy = field(result, 'policy');
  const text = `configuration reloaded; policy ${String(field(policy, 'id'))} version ${String(field(policy, 'version'))}`;
  output.answer(result, () => text);
}
