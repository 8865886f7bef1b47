import { toUcpError, UcpError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Location } from '../config/location.ts';
import { locationText } from '../config/location.ts';
import type { SourceObject } from './source-object.ts';

/** How long one object may take, seconds: a body that trickles in must not hold up the checks. */
const OBJECT_SECONDS = 60;

export interface S3Access {
  readonly region: string | undefined;
  /** Base URL of an S3-compatible store. */
  readonly endpoint: string | undefined;
  /** Seconds that one object may take; 60 when undefined. */
  readonly timeout?: number | undefined;
  readonly clock: Clock;
}

/** An object of a bucket; credentials come from the AWS SDK's default chain. The SDK is loaded at the first read. */
export function s3Object(location: Extract<Location, { kind: 's3' }>, access: S3Access): SourceObject {
  const name = locationText(location);
  const { bucket, key, region = access.region } = location;
  const open = async () => {
    const { S3Store } = await import('../../policy/publish/s3.ts');
    return new S3Store({ bucket, prefix: '', region, endpoint: access.endpoint });
  };
  let store: ReturnType<typeof open> | undefined;
  return {
    name,
    get: async (etag, maxBytes) => {
      store ??= open();
      const opened = await store;
      const found = await inTime(name, access, (signal) =>
        opened.get(key, { ifNoneMatch: etag, maxBytes, signal }),
      ).catch((thrown: unknown) => {
        throw sourceError(toUcpError(thrown));
      });
      if (found === undefined) throw new UcpError('POLICY_SOURCE_MISSING', `There is no object ${name}.`);
      return found;
    },
  };
}

function inTime<T>(name: string, { clock, timeout }: S3Access, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const seconds = timeout ?? OBJECT_SECONDS;
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const cancel = clock.after(seconds * 1000, () => {
      reject(new UcpError('POLICY_SOURCE_UNREACHABLE', `${name} was not read within ${seconds} s.`));
      controller.abort();
    });
    work(controller.signal).then(resolve, reject).finally(cancel);
  });
}

/** What the store says, in the words of a source. */
function sourceError(error: UcpError): UcpError {
  if (error.code !== 'POLICY_STORE_FAILED') return error;
  const { status, credentials } = error.details;
  const code =
    status === 401 || status === 403 || credentials === false
      ? 'POLICY_SOURCE_DENIED'
      : status === 404
        ? 'POLICY_SOURCE_MISSING'
        : 'POLICY_SOURCE_UNREACHABLE';
  return new UcpError(code, error.message, { cause: error });
}
