/** One object that is read from somewhere: a file, an object of a bucket. */
export interface SourceObject {
  /** As status and messages name it. */
  readonly name: string;
  /**
   * Its bytes, or `unchanged` when it is still what `etag` stands for. Rejects with POLICY_SOURCE_MISSING, _DENIED or
   * _UNREACHABLE, and with POLICY_TOO_LARGE beyond `maxBytes`.
   */
  get(etag: string | undefined, maxBytes: number): Promise<ReadObject | 'unchanged'>;
}

export interface ReadObject {
  readonly bytes: Uint8Array;
  /** Differs when the bytes do. */
  readonly etag: string;
}
