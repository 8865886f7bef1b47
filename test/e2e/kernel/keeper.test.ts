import { describe, expect, test } from 'vitest';

import { docker } from '../helpers/docker.ts';
import { Containers } from './containers.ts';
import { KernelHelper, policy, sources } from './helper.ts';
import { witnesses } from './image.ts';

const KILLS = 50;

/** Runs both files until /tmp/stop is there: each denied one that ran leaves a line, and each allowed one. */
const STORM = `
while ! test -e /tmp/stop; do
  /opt/denied/hard > /tmp/out 2>/dev/null && cat /tmp/out >> /tmp/bad
  cp /opt/allowed /tmp/fresh; /tmp/fresh >> /tmp/good 2>/dev/null; rm -f /tmp/fresh
done
echo over > /tmp/over`;

// Part of the full run alone, and cited for no requirement: a restart under a storm can hang (docs/adr/0004).
describe.runIf(process.env['UCP_FULL'] !== undefined)('the keeper', () => {
  test('has another decider when one is killed, and nothing denied runs meanwhile', async () => {
    await using containers = new Containers(await witnesses());
    await using helper = await KernelHelper.start();
    const first = await helper.hello();
    const box = await containers.start();
    const deny = sources('/opt/denied/*');
    await first.accepted({ type: 'attach', sandbox: 'box', pid: box.pid, ...policy() });
    await first.accepted({ type: 'update', sandbox: 'box', ...policy({ deny, generation: 2 }) });
    await docker('exec', '-d', box.name, 'sh', '-c', STORM);
    for (let kill = 0; kill < KILLS; kill++) {
      await helper.killDecider();
      const kernel = await helper.hello();
      // It decides again: what is allowed runs, what is denied does not.
      expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
      expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: false });
      expect(await kernel.event({ path: '/opt/denied/other' })).toMatchObject({ sandbox: 'box', generation: 2 });
      kernel.close();
    }
    await box.sh('touch /tmp/stop; while ! test -e /tmp/over; do sleep 0.02; done');
    expect(await box.sh('test -e /tmp/bad')).not.toMatchObject({ exitCode: 0 });
    expect(Number((await box.sh('wc -l < /tmp/good')).stdout)).toBeGreaterThan(KILLS);

    const last = await helper.hello();
    await last.accepted({ type: 'detach', sandbox: 'box' });
    await helper.killDecider();
    expect(await box.sh('/opt/denied/other')).toMatchObject({ ran: true });
  });
});
