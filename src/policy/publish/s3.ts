import { GetObjectCommand, PutObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';

import { UcpError } from '../../core/errors.ts';
import { field } from '../../core/unknown.ts';
import type { GetOptions, ObjectStore, Precondition, StoredObject } from './object-store.ts';

export interface S3Place {
  readonly bucket: string;
  /** '' or a path that ends with a slash. */
  readonly prefix: string;
  /** Absent: what the environment and the AWS configuration say. */
  readonly region?: string | undefined;
  /** Another S3 service than AWS's, by its URL; its buckets are addressed by path. */
  readonly endpoint?: string | undefined;
}

/** A bucket under a prefix; credentials come from the default chain of the AWS SDK. The only file that imports it. */
export class S3Store implements ObjectStore {
  readonly url: string;
  readonly #place: S3Place;
  readonly #client: S3Client;

  constructor(place: S3Place) {
    this.#place = place;
    this.url = `s3://${place.bucket}/${place.prefix}`;
    this.#client = new S3Client({
      ...(place.region === undefined ? {} : { region: place.region }),
      ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint, forcePathStyle: true }),
      // Other S3 services don't know the checksums that AWS's take by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async get(name: string, options: GetOptions): Promise<StoredObject | 'unchanged' | undefined> {
    const Key = `${this.#place.prefix}${name}`;
    try {
      const found = await this.#client.send(
        new GetObjectCommand({ Bucket: this.#place.bucket, Key, IfNoneMatch: options.ifNoneMatch }),
        options.signal === undefined ? {} : { abortSignal: options.signal },
      );
      const bytes = await bounded(found.Body?.transformToWebStream(), options, `${this.url}${name}`);
      return { bytes, etag: found.ETag ?? '' };
    } catch (cause) {
      const status = statusOf(cause);
      if (status === 304) return 'unchanged';
      if (status === 404 && nameOf(cause) !== 'NoSuchBucket') return undefined;
      throw this.#failed('read', name, cause);
    }
  }

  async put(name: string, bytes: Uint8Array, precondition?: Precondition): Promise<void> {
    try {
      await this.#client.send(
        new PutObjectCommand({
          Bucket: this.#place.bucket,
          Key: `${this.#place.prefix}${name}`,
          Body: bytes,
          ContentType: name.endsWith('.json') ? 'application/json' : 'application/octet-stream',
          ...(precondition === null ? { IfNoneMatch: '*' } : { IfMatch: precondition }),
        }),
      );
    } catch (cause) {
      const status = statusOf(cause);
      if (status === 412 || status === 409) {
        throw new UcpError('POLICY_PUBLISH_CONFLICT', `${this.url}${name} was changed by somebody else meanwhile.`, {
          cause,
        });
      }
      throw this.#failed('write', name, cause);
    }
  }

  /**
   * `details.status` is the HTTP status, absent when there was no answer; `details.retryable` whether to try again;
   * `details.credentials` is false where the default chain had none.
   */
  #failed(verb: 'read' | 'write', name: string, cause: unknown): UcpError {
    if (cause instanceof UcpError) return cause;
    const status = statusOf(cause);
    const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    const region = regionOf(cause);
    const hint = region === undefined ? '' : ` The bucket is in region ${region}.`;
    const none = nameOf(cause) === 'CredentialsProviderError';
    const retryable = !none && (status === undefined || status === 429 || status >= 500);
    return new UcpError('POLICY_STORE_FAILED', `cannot ${verb} ${this.url}${name}: ${what}${hint}`, {
      cause,
      details: { status, retryable, ...(none ? { credentials: false } : {}) },
    });
  }
}

async function bounded(
  stream: ReadableStream<Uint8Array> | undefined,
  { maxBytes, signal }: GetOptions,
  name: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  // Cancelling closes the connection too: a body that is not wanted must not go on arriving.
  const cancel = (): void => void reader?.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
      length += next.value.length;
      if (length > maxBytes) throw new UcpError('POLICY_TOO_LARGE', `${name} has more than ${maxBytes} bytes.`);
      chunks.push(next.value);
    }
    signal?.throwIfAborted();
    return Buffer.concat(chunks);
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

function statusOf(cause: unknown): number | undefined {
  return cause instanceof S3ServiceException ? cause.$metadata.httpStatusCode : undefined;
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : '';
}

/** Where S3 says that the bucket is, in its answer to a request in another region. */
function regionOf(cause: unknown): string | undefined {
  if (statusOf(cause) !== 301 || !(cause instanceof S3ServiceException)) return undefined;
  const headers: unknown = cause.$response?.headers;
  const region = field(headers, 'x-amz-bucket-region');
  return typeof region === 'string' ? region : undefined;
}
