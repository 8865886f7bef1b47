import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

import { UcpError } from '../../../../core/errors.ts';
import { createEngine } from '../../../../engine/docker-engine.ts';
import { buildPackage } from '../../../../sandbox/packages/build-package.ts';
import { builderId } from '../../../../sandbox/packages/builder.ts';
import type { PackageSpec } from '../../../../sandbox/packages/package-spec.ts';
import { ServerStore } from '../../../../sandbox/servers/store.ts';
import type { CliHost } from '../../host.ts';
import { runMain } from '../../run/run-main.ts';
import type { Local } from '../local.ts';
import { pinImage } from './pin.ts';

/** What packages run on where the user names nothing. */
const BASES = { npx: 'node:24-slim', uvx: 'python:3.13-slim' } as const;

/** Options of `mcp add` for a package. */
export interface PackageOptions {
  readonly base?: string;
  readonly registry?: string;
}

/** Makes a package's image, or finds it made; resolves with its name and the base that it stands on. */
export async function packageImage(
  { host, output }: Local,
  spec: PackageSpec,
  { base = BASES[spec.manager], registry }: PackageOptions,
): Promise<{ readonly image: string; readonly base: string }> {
  const { id } = await pinImage(host, base, { fresh: false });
  const image = await buildPackage(spec, {
    engine: createEngine(host.env, host.home),
    base: id,
    registry,
    builder: builderId(new ServerStore(host.env, host.home).dir),
    pythonVersion: async () => pythonVersion(host, id),
    say: (line) => output.note(line),
  });
  return { image, base };
}

/** The base is asked in a sandbox, like everything that runs of an image. */
async function pythonVersion(host: CliHost, image: string): Promise<string> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const script = 'import sys; print("%d.%d" % sys.version_info[:2])';
  const args = ['--quiet', '--pull=never', '--entrypoint=python3', image, '-c', script];
  const said = Promise.all([text(stdout), text(stderr)]);
  await runMain(args, { ...host, stdout, stderr });
  stdout.end();
  stderr.end();
  const [version, errors] = await said;
  if (/^3\.\d+\s*$/.test(version)) return version.trim();
  throw new UcpError('PACKAGE_FAILED', `The base image has no python3 that says its version: ${errors.trim()}`);
}
