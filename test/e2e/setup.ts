import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { execa } from 'execa';

/** The end-to-end tests run the built programs on a real engine; both are there before the first test, or nothing runs. */
export async function setup(): Promise<void> {
  const bundle = resolve(import.meta.dirname, '../../dist/ucp-sandbox.mjs');
  if (!existsSync(bundle)) throw new Error('dist/ is not built: run `npm run build` first');
  const { exitCode, stderr } = await execa('docker', ['version'], { reject: false });
  if (exitCode !== 0) throw new Error(`no container engine answers, run scripts/setup-host.sh first: ${stderr}`);
}
