import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { UcpError } from '../../core/errors.ts';

/** A place that something is read from. */
export type Location =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string; readonly region?: string };

const S3 = /^s3:\/\/(?:([a-z0-9-]+)@)?([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.*)$/;

/** True for `s3://[REGION@]BUCKET/KEY`, `file:///PATH` and an absolute path. */
export function isLocation(text: string): boolean {
  return S3.test(text) || text.startsWith('file:///') || isAbsolute(text);
}

/** The place that `text` names. Throws CONFIG_INVALID. */
export function parseLocation(text: string): Location {
  const s3 = S3.exec(text);
  if (s3 !== null) {
    const [, region, bucket = '', key = ''] = s3;
    return { kind: 's3', bucket, key, ...(region === undefined ? {} : { region }) };
  }
  if (text.startsWith('file:///')) return { kind: 'file', path: fileURLToPath(text) };
  if (isAbsolute(text)) return { kind: 'file', path: text };
  throw new UcpError('CONFIG_INVALID', `Expected s3://BUCKET/KEY, file:///PATH or an absolute path, got ${text}.`);
}

/** `name` below `base`, which is a directory or a prefix. */
export function below(base: Location, name: string): Location {
  if (base.kind === 'file') return { kind: 'file', path: join(base.path, name) };
  const prefix = base.key === '' || base.key.endsWith('/') ? base.key : `${base.key}/`;
  return { ...base, key: `${prefix}${name}` };
}

/** As messages and status name it. */
export function locationText(location: Location): string {
  return location.kind === 'file' ? location.path : `s3://${location.bucket}/${location.key}`;
}
