import type { HttpOutcome } from './http-client.ts';
import { retryAfter } from './retry-after.ts';

/** What an attempt came to, by the rules of OTLP/HTTP. */
export type Verdict =
  /** Taken, but for `rejected` records, which must not be sent again. */
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string }
  /** To be sent again as it is, not before `after` milliseconds where the receiver said so. */
  | { readonly kind: 'retry'; readonly reason: string; readonly after: number | undefined }
  /** Never to be sent again as it is. */
  | { readonly kind: 'refused'; readonly reason: string };

interface PartialSuccess {
  readonly partialSuccess?: { readonly rejectedLogRecords?: number; readonly errorMessage?: string };
}

/** The only statuses that a client may retry (OTLP specification, "Retryable Response Codes"). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function verdict(outcome: HttpOutcome, now: number, decode: (body: Uint8Array) => PartialSuccess): Verdict {
  if (outcome.kind === 'failure') return { kind: 'retry', reason: outcome.reason, after: undefined };
  const { status } = outcome;
  if (status >= 200 && status <= 299) return taken(outcome, decode);
  const reason = describe(outcome);
  if (!RETRYABLE.has(status)) return { kind: 'refused', reason };
  return { kind: 'retry', reason, after: retryAfter(outcome.retryAfter, now) };
}

type Answer = Extract<HttpOutcome, { kind: 'answer' }>;

/** The status says that the records were taken: a body that can't be read changes nothing about it. */
function taken({ body, type }: Answer, decode: (body: Uint8Array) => PartialSuccess): Verdict {
  const none = { kind: 'taken', rejected: 0, message: '' } as const;
  if (body === undefined || body.length === 0 || !type.includes('protobuf')) return none;
  try {
    const { partialSuccess } = decode(body);
    const rejected = Math.max(0, partialSuccess?.rejectedLogRecords ?? 0);
    return { kind: 'taken', rejected, message: partialSuccess?.errorMessage ?? '' };
  } catch {
    return none;
  }
}

function describe({ status, body, type }: Answer): string {
  const readable = body !== undefined && /^(?:text\/plain|application\/json)/.test(type);
  const words = readable
    ? body
        .toString('utf8', 0, 200)
        .replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
        .trim()
    : '';
  return words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
}
