/** What a source holds: policy, signature and public key, as bytes. */
export interface PolicyPackage {
  readonly policy: Uint8Array;
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** What a check found. `etag` stands for all three objects: it differs when any of them does. */
export type Found =
  | { readonly newer: false }
  | {
      readonly newer: true;
      readonly etag: string;
      /** Rejects with POLICY_SOURCE_MISSING, _DENIED, _UNREACHABLE or POLICY_TOO_LARGE. */
      fetch(): Promise<PolicyPackage>;
    };

/** A place that policies come from. */
export interface PolicySource {
  /** As status and messages name it. */
  readonly name: string;
  /**
   * Looks whether there is something else than what `etag` stands for (undefined: anything). Rejects with
   * POLICY_SOURCE_MISSING, _DENIED or _UNREACHABLE.
   */
  check(etag: string | undefined): Promise<Found>;
}
