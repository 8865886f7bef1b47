import { field } from '../../../core/unknown.ts';
import { connectControlPlane } from '../../../sandbox/client/connect.ts';
import { requireControlPlane } from '../client.ts';
import type { UcpdHost } from '../host.ts';
import { stop } from './stop.ts';

/** `ucpd restart`: the service through the service manager, one on demand by itself. Sandboxes go on. */
export async function restart(host: UcpdHost): Promise<void> {
  const { client } = await requireControlPlane(host);
  const report = await client.call('status', {});
  client.close();
  if (field(report, 'mode') === 'service') {
    const { execa } = await import('execa');
    await execa('systemctl', ['restart', 'ucpd'], { stdio: 'inherit' });
    return;
  }
  await stop(host);
  const again = await connectControlPlane({ env: host.env, home: host.home, ucpd: host.program });
  again.close();
}
