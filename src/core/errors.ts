import type { ErrorCode } from './error-codes/index.ts';

/** What may accompany a {@link UcpError}. */
export interface UcpErrorOptions {
  readonly cause?: unknown;
  /** JSON pointer (RFC 6901) of the policy value that is at fault or that decided. */
  readonly pointer?: string;
  /** Further machine-readable facts; never secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error type of UCP: a stable code, a message that says what was expected, what came and what to do,
 * and the cause. Everything thrown on purpose is one of these.
 */
export class UcpError extends Error {
  readonly code: ErrorCode;
  readonly pointer: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: UcpErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'UcpError';
    this.code = code;
    this.pointer = options.pointer;
    this.details = options.details ?? {};
  }
}

/** The wire form of an error in `--json` output, socket replies and lifecycle events. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly pointer?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Wraps anything thrown as a {@link UcpError}; a UcpError comes back as it is. */
export function toUcpError(thrown: unknown): UcpError {
  if (thrown instanceof UcpError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new UcpError('INTERNAL', message, { cause: thrown });
}

/** The wire form of `error`. */
export function toErrorRecord(error: UcpError): ErrorRecord {
  return {
    code: error.code,
    message: error.message,
    ...(error.pointer === undefined ? {} : { pointer: error.pointer }),
    ...(Object.keys(error.details).length === 0 ? {} : { details: error.details }),
  };
}

/** The error that a peer sent in its wire form. */
export function fromErrorRecord(record: ErrorRecord): UcpError {
  return new UcpError(record.code, record.message, {
    ...(record.pointer === undefined ? {} : { pointer: record.pointer }),
    ...(record.details === undefined ? {} : { details: record.details }),
  });
}
