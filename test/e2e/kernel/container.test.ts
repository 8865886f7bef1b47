import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect } from 'vitest';

import { buildNative } from '../../../scripts/build-native.ts';
import { verifies } from '../helpers/verifies.ts';
import { Containers } from './containers.ts';
import { awaitHelper, policy, sources } from './helper.ts';
import { helperImage, witnesses } from './image.ts';

const PROGRAM = resolve(import.meta.dirname, '../../../dist/native/helper/ucp-kernel');
/** The rights that DESIGN 2 gives the helper, and no other. */
const RIGHTS = '--pid=host --cap-drop ALL --cap-add SYS_ADMIN --cap-add SYS_PTRACE --cap-add DAC_READ_SEARCH'.split(
  ' ',
);

describe('the helper in a container of its own', () => {
  verifies(
    ['EX-02', 'EX-04'],
    'decides as the one beside the engine does, and comes back to a new client',
    async () => {
      await buildNative();
      await using containers = new Containers(await witnesses());
      const dir = mkdtempSync(join(tmpdir(), 'ucp-kernel-helper-'));
      try {
        const socket = join(dir, 'kernel.sock');
        const first = awaitHelper(socket);
        const flags = [...RIGHTS, '--read-only', '-v', `${dir}:/run/ucp`];
        await containers.startImage(await helperImage(PROGRAM), flags, '--connect', '/run/ucp/kernel.sock');
        const kernel = await first;
        const box = await containers.start();
        const deny = sources('/opt/denied/*');
        await kernel.accepted({ type: 'attach', sandbox: 'box', pid: box.pid, ...policy({ deny }) });
        expect(await box.sh('/opt/allowed')).toMatchObject({ ran: true });
        expect(await box.sh('ln /opt/denied/hard /tmp/x; /tmp/x')).toMatchObject({ ran: false });
        expect(await box.sh('cat /opt/denied/hard')).not.toMatchObject({ exitCode: 0 });
        expect(await kernel.event({ sandbox: 'box', path: '/tmp/x' })).toMatchObject({ action: 'block' });

        const second = awaitHelper(socket);
        kernel.close();
        expect(await (await second).ask({ type: 'counters', sandbox: 'box' })).toMatchObject({ ok: true, lost: 0 });
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  );
});
