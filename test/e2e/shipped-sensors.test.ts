import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { SENSORS_DIR } from '../../src/core/plan.ts';
import { busybox } from '../images/index.ts';
import { TestHost } from './helpers/host.ts';
import { verifies } from './helpers/verifies.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The sensors as they are installed, and as sandboxes have them. */
const JAVASCRIPT = ['js/preload.cjs'];
const PYTHON = ['python/sitecustomize.py', 'python/site/sitecustomize.py', 'python/ucp_sensor/boot.py'];

describe('the sensors', () => {
  let host: TestHost;
  let image: string;
  beforeAll(async () => {
    host = new TestHost();
    image = await busybox();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** Runs a line as root of a sandbox. */
  const asRoot = (script: string) => host.sandbox(['run', '-u', '0', image, 'sh', '-c', script]);

  verifies(['RUN-07'], 'are in the npm package, all of their files and nothing of their tests', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: ROOT, encoding: 'utf8' });
    const [{ files }] = JSON.parse(packed) as [{ readonly files: readonly { readonly path: string }[] }];
    const shipped = files.map(({ path }) => path).filter((path) => path.startsWith('dist/sensors/'));
    const modules = globSync('{site,ucp_sensor}/**/*.py', { cwd: join(ROOT, 'sensors/python') });
    expect(modules.length).toBeGreaterThan(50);
    const expected = [...JAVASCRIPT, 'python/sitecustomize.py', ...modules.map((module) => `python/${module}`)];
    expect(shipped.toSorted()).toEqual(expected.map((path) => `dist/sensors/${path}`).toSorted());
  });

  verifies(['RUN-07'], 'are mounted read-only, which root cannot change', async () => {
    const mount = await asRoot(`grep ' ${SENSORS_DIR} ' /proc/self/mounts`);
    expect(mount.stdout.trim().split(' ')[3]?.split(',')).toContain('ro');
    const files = [...JAVASCRIPT, ...PYTHON].map((file) => `${SENSORS_DIR}/${file}`);
    const read = await asRoot(`sha256sum ${files.join(' ')} && touch /tmp/positive-control`);
    expect({ code: read.exitCode, stderr: read.stderr }).toEqual({ code: 0, stderr: '' });
    const tried = files.flatMap((file) => [
      `: >> ${file}`,
      `: >> /proc/self/root${file}`,
      `rm ${file}`,
      `chmod 0777 ${file}`,
      `touch $(dirname ${file})/new.py`,
    ]);
    const whole = [`mount -o remount,rw ${SENSORS_DIR}`, `mount -t tmpfs none ${SENSORS_DIR}`, `umount ${SENSORS_DIR}`];
    const attempts = [...tried, ...whole, `mv ${SENSORS_DIR} /tmp/away`];
    const script = attempts.map((attempt) => `(${attempt}) 2>/dev/null && echo '${attempt}'`).join('\n');
    const done = await asRoot(`${script}\nsha256sum ${files.join(' ')}`);
    expect(done.stdout).toBe(read.stdout);
  });
});
