import type { SandboxStatus } from '../../../core/protocol.ts';
import { columns } from '../columns.ts';
import type { Session } from './session.ts';

/** `ps`: sandboxes that run, or all of them; those that are `wanted`. */
export async function ps(
  { client, output }: Session,
  options: { readonly all: boolean },
  wanted: (sandbox: SandboxStatus) => boolean = () => true,
): Promise<void> {
  const listed = await client.call('list', { all: options.all });
  const sandboxes = listed.sandboxes.filter(wanted);
  output.answer(sandboxes, () =>
    columns(['ID', 'NAME', 'IMAGE', 'STATE', 'MODE', 'CREATED', 'DEGRADED'], sandboxes.map(row)),
  );
}

function row({ sandboxId, name, image, state, exitCode, mode, createdAt, degraded }: SandboxStatus): readonly string[] {
  const shown = state === 'exited' ? `exited (${exitCode ?? '?'})` : state;
  return [sandboxId, name, image, shown, mode, createdAt, degraded.join(',')];
}
