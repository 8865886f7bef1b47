import { UcpError } from '../../core/errors.ts';

const MAX_SIGNATURE_BYTES = 16 * 1024;
const MAX_SIGNATURES = 8;

/** Smallest signature of any accepted algorithm: a DER-encoded ECDSA one can be a little shorter than Ed25519's 64. */
const LEAST_BYTES = 48;

/**
 * The signatures that a file holds: the raw bytes of one, or base64 (RFC 4648, canonical, lines may be wrapped);
 * base64 texts that a blank line separates are several signatures, so that a publisher can have the old and the new one
 * in place while it exchanges the policy.
 */
export function readSignatures(file: Uint8Array): Uint8Array[] {
  if (file.length === 0) throw malformed('an empty file');
  if (file.length > MAX_SIGNATURE_BYTES) throw malformed(`${file.length} bytes`);
  const text = Buffer.from(file).toString('latin1');
  const texts = /^[A-Za-z0-9+/=\r\n]+$/.test(text) ? text.split(/(?:\r?\n){2,}/).filter((part) => part !== '') : [];
  const decoded = texts.map(fromBase64);
  if (decoded.length > 0 && decoded.length <= MAX_SIGNATURES && decoded.every((bytes) => bytes !== undefined)) {
    return decoded;
  }
  if (file.length < LEAST_BYTES) throw malformed(`${file.length} bytes, too few for any signature`);
  return [file];
}

/** The form that holds several signatures. */
export function writeSignatures(signatures: readonly Uint8Array[]): Uint8Array {
  return Buffer.from(signatures.map((bytes) => `${Buffer.from(bytes).toString('base64')}\n`).join('\n'));
}

/** Decodes canonical base64 only: of two texts that mean the same bytes, one was tampered with. */
function fromBase64(text: string): Uint8Array | undefined {
  const joined = text.replaceAll(/\r?\n/g, '');
  const bytes = Buffer.from(joined, 'base64');
  return bytes.length >= LEAST_BYTES && bytes.toString('base64') === joined ? bytes : undefined;
}

function malformed(got: string): UcpError {
  return new UcpError(
    'POLICY_SIGNATURE_MALFORMED',
    `expected a raw or base64 signature of at most ${MAX_SIGNATURE_BYTES} bytes, got ${got}`,
  );
}
