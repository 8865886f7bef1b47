/** An object as it was read. */
export interface StoredObject {
  readonly bytes: Uint8Array;
  /** Differs when the bytes do. */
  readonly etag: string;
}

/** What must be true of the object that is replaced: it has this ETag, or there is none (null). */
export type Precondition = string | null;

export interface GetOptions {
  /** Answers `unchanged` when the object still has this ETag. */
  readonly ifNoneMatch?: string | undefined;
  /** More bytes than this are POLICY_TOO_LARGE. */
  readonly maxBytes: number;
  /** Ends the read, also in the middle of a body. */
  readonly signal?: AbortSignal | undefined;
}

/** Named objects in one place: a bucket under a prefix, or a directory. Rejects with POLICY_STORE_FAILED. */
export interface ObjectStore {
  /** As messages name it; ends with a slash. */
  readonly url: string;
  /** undefined: there is no such object. */
  get(name: string, options: GetOptions): Promise<StoredObject | 'unchanged' | undefined>;
  /** Replaces the whole object at once. Rejects with POLICY_PUBLISH_CONFLICT when the precondition fails. */
  put(name: string, bytes: Uint8Array, precondition?: Precondition): Promise<void>;
}
