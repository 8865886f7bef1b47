import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { UcpError } from '../../core/errors.ts';
import type { DockerEngine } from '../../engine/docker-engine.ts';
import { leaseHolder, leaseText } from '../client/lease.ts';
import { BUILT } from './builder.ts';
import { installNpm, npmVersion } from './npm.ts';
import type { PackageSpec } from './package-spec.ts';
import { installPython } from './python.ts';

/** Raised when what is made of a package changes. */
const FORMAT = '2';
/** Where a package is in its image. */
const AT = '/opt/ucp-package';

/** What a build works with. */
export interface BuildContext {
  readonly engine: DockerEngine;
  /** Id of the image below. */
  readonly base: string;
  readonly registry: string | undefined;
  /** Whose the image is, see builder.ts. */
  readonly builder: string;
  /** The version of Python in the base, `3.12`; asked when it is needed. */
  pythonVersion(): Promise<string>;
  /** A step, for the user. */
  say(line: string): void;
}

/** How the names of the directories begin where packages are fetched into. */
export const PACKAGE_DIR = 'ucp-package-';
/** The images of packages that UCP has built. */
const PACKAGE_IMAGES = 'ucp-package/';

/**
 * The image of a package on a base: made once for each version, base and architecture, and found again by its name after
 * that. Resolves with its name. Throws PACKAGE_FAILED.
 */
export async function buildPackage(spec: PackageSpec, context: BuildContext): Promise<string> {
  const { engine, registry } = context;
  const version = spec.manager === 'npx' ? await npmVersion(spec, registry) : spec.version;
  if (version !== undefined) {
    const known = referenceOf(spec, version, context);
    if ((await engine.image(known)) !== undefined) return known;
  }
  const root = mkdtempSync(join(tmpdir(), PACKAGE_DIR));
  try {
    chmodSync(root, 0o755);
    mkdirSync(join(root, AT), { recursive: true, mode: 0o755 });
    context.say(`Fetching ${spec.name}${version === undefined ? '' : ` ${version}`}`);
    const options = { root, at: AT, registry };
    const installed =
      spec.manager === 'npx'
        ? await installNpm(spec, version ?? 'latest', options)
        : await installPython(spec, await context.pythonVersion(), options);
    const reference = referenceOf(spec, installed.version, context);
    if ((await engine.image(reference)) !== undefined) return reference;
    context.say(`Building ${reference}`);
    const title = { 'org.opencontainers.image.title': spec.name };
    const owned = { [BUILT.by]: context.builder };
    const labels = { ...title, 'org.opencontainers.image.version': installed.version, ...owned };
    const containerLabels = { ...owned, [BUILT.holder]: leaseText(leaseHolder()) };
    const { entrypoint } = installed;
    const { base } = context;
    await engine.addLayer({ base, reference, files: () => archive(root), entrypoint, labels, containerLabels });
    return reference;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The name of a package's image: by whose it is and all that its content depends on. */
function referenceOf({ manager, name }: PackageSpec, version: string, { base, builder }: BuildContext): string {
  const key = [FORMAT, manager, name, version, base, process.arch, builder].join('\n');
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${PACKAGE_IMAGES}${slug}:${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** The files below `root` as a tar: owned by root, readable by all, in one order and of one time. */
function archive(root: string): Readable {
  const flags = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u+rwX,go+rX,go-w'];
  const tar = spawn('tar', ['-C', root, ...flags, '-c', '.'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const failed = (cause?: unknown): void => {
    tar.stdout.destroy(new UcpError('PACKAGE_FAILED', 'tar could not read the files of the package.', { cause }));
  };
  tar.once('error', failed);
  tar.once('exit', (code) => (code === 0 ? undefined : failed()));
  return tar.stdout;
}
