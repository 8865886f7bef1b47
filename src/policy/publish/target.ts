import { fileURLToPath } from 'node:url';

import { UcpError } from '../../core/errors.ts';
import { FileStore } from './file-store.ts';
import type { ObjectStore } from './object-store.ts';

export interface TargetOptions {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
}

const S3 = /^s3:\/\/(?:([a-z0-9-]+)@)?([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** Opens `file:///directory/` or `s3://[REGION@]BUCKET/[PREFIX/]`. Throws POLICY_PUBLISH_TARGET. */
export async function openStore(target: string, options: TargetOptions): Promise<ObjectStore> {
  if (target.startsWith('file:')) {
    try {
      return new FileStore(fileURLToPath(target));
    } catch (cause) {
      throw malformed(target, cause);
    }
  }
  const [, region, bucket, prefix = ''] = S3.exec(target) ?? [];
  if (bucket === undefined) throw malformed(target);
  // Loaded when it is needed: the SDK is large.
  const { S3Store } = await import('./s3.ts');
  return new S3Store({
    bucket,
    prefix: prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`,
    region: options.region ?? region,
    endpoint: options.endpoint,
  });
}

function malformed(target: string, cause?: unknown): UcpError {
  const message = `expected file:///directory/ or s3://[REGION@]BUCKET/[PREFIX/], got "${target}"`;
  return new UcpError('POLICY_PUBLISH_TARGET', message, { cause });
}
