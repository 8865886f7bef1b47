/** Codes of the policy room. */
export const policyErrors = {
  POLICY_INVALID: {
    summary: 'The policy document has problems; each is listed with its own code, JSON pointer, line and column.',
    remedy: 'Correct what the problems name; `ucp-policy validate FILE` lists them all.',
  },
  POLICY_TOO_LARGE: {
    summary: 'The policy document is larger than 8 MiB, or than the bound that was configured.',
    remedy: 'Make it smaller: globs and patterns replace long lists.',
  },
  POLICY_TOO_DEEP: {
    summary: 'The policy document nests objects and arrays more than 64 levels deep.',
    remedy: 'Remove the nesting; no part of the schema needs more than a dozen levels.',
  },
  POLICY_NOT_UTF8: {
    summary: 'The policy document is not valid UTF-8, or spells half of a surrogate pair in an escape.',
    remedy: 'Save it as UTF-8.',
  },
  POLICY_BOM: {
    summary: 'The policy document starts with a byte order mark.',
    remedy: 'Save it as UTF-8 without a byte order mark.',
  },
  POLICY_JSON: {
    summary: 'The policy document is not JSON.',
    remedy: 'Correct the syntax at the place named; comments and trailing commas are not JSON.',
  },
  POLICY_TRAILING_BYTES: {
    summary: 'Something follows the end of the JSON document.',
    remedy: 'Remove what follows the last brace.',
  },
  POLICY_DUPLICATE_KEY: {
    summary: 'An object names the same key twice, so that readers could disagree about its meaning.',
    remedy: 'Keep one of the two.',
  },
  POLICY_FORBIDDEN_KEY: {
    summary: 'An object has the key `__proto__`, which some readers treat as something else than data.',
    remedy: 'Remove or rename the key.',
  },
  POLICY_NUMBER: {
    summary: 'A number is too large to be read without loss.',
    remedy: 'Stay within ±9007199254740991; write larger sizes with a unit, such as "16g".',
  },
  POLICY_UNKNOWN_KEY: {
    summary: 'The policy document has a key that the schema does not know.',
    remedy: 'Use the nearest known name if one is given; notes of your own start with `x-`.',
  },
  POLICY_MISSING_KEY: {
    summary: 'The policy document lacks a key that must be there.',
    remedy: 'Add it; the policy reference says what it means.',
  },
  POLICY_TYPE: {
    summary: 'A value is of another JSON type than the schema expects.',
    remedy: 'Write a value of the type named.',
  },
  POLICY_VALUE: {
    summary: 'A value is of the right type but not one that is allowed there.',
    remedy: 'Write one of the values, or a value within the bounds, that the message names.',
  },
  POLICY_GLOB: {
    summary: 'A glob is malformed, too expensive to match, or could never match.',
    remedy: 'Correct the glob; the policy reference documents the syntax and its limits.',
  },
  POLICY_REGEX: {
    summary: 'A regular expression is malformed or not of the linear-time kind (RE2 syntax).',
    remedy: 'Write it without back-references and look-around.',
  },
  POLICY_ADDRESS: {
    summary: 'A network, address or host name of a network rule is malformed or stands for too much.',
    remedy: 'Write a network such as "10.0.0.0/8", a host name, or "*.example.com".',
  },
  POLICY_PORT: {
    summary: 'A port or port range is malformed or out of bounds.',
    remedy: 'Write a number from 1 to 65535 or a range such as "8000-8999".',
  },
  POLICY_CONTRADICTION: {
    summary: 'Two parts of the policy document contradict each other.',
    remedy: 'Decide which of the two is meant and remove the other.',
  },
  POLICY_LAYOUT_AMBIGUOUS: {
    summary: 'The document mixes layouts so that it could mean two things.',
    remedy: 'Write the section once, in the canonical layout; `ucp-policy normalize` shows it.',
  },
  POLICY_LAYOUT_UNSUPPORTED: {
    summary: 'The document is in another layout and says something that has no canonical counterpart.',
    remedy: 'Write that part in the canonical layout.',
  },
  POLICY_SIGNATURE_INVALID: {
    summary: 'No public key accepts the signature over these exact bytes.',
    remedy: 'Sign the document again after its last change, or use the public key of its signer.',
  },
  POLICY_SIGNATURE_MALFORMED: {
    summary: 'The signature file is empty, too large, or neither a raw nor a base64 signature.',
    remedy: 'Make it with `ucp-policy sign`, openssl or cosign, and copy it whole.',
  },
  POLICY_KEY_UNUSABLE: {
    summary:
      'A key cannot be used: malformed, encrypted without a password, or of a kind or size that is not accepted.',
    remedy: 'Use Ed25519, ECDSA P-256 or P-384, or RSA of 2048 bits or more, in PEM.',
  },
  POLICY_KEY_NOT_PUBLIC: {
    summary: 'A private key or a certificate stands where a public key is expected.',
    remedy: 'Export the public key: `openssl pkey -in KEY -pubout`, or `openssl x509 -in CERT -pubkey -noout`.',
  },
  POLICY_KEY_NOT_PRIVATE: {
    summary: 'A public key or a certificate stands where a private key is expected.',
    remedy: 'Name the file that holds the private key.',
  },
  POLICY_KEY_PIN_MISMATCH: {
    summary: 'No key of the PEM file has the pinned SHA-256 fingerprint.',
    remedy: 'Find out who changed the key; correct the pin only if the change was yours.',
  },
  POLICY_PIN_MALFORMED: {
    summary: 'The pin is not a SHA-256 fingerprint.',
    remedy: 'Write 64 hex digits; `ucp-policy keygen` and `ucp-policy verify` print them.',
  },
  POLICY_NOT_NEWER: {
    summary: 'The version to be published is not above the one that is there.',
    remedy: 'Raise `version`, sign again, publish.',
  },
  POLICY_PUBLISH_TARGET: {
    summary: 'The place to publish to is malformed, missing or not one that UCP writes to.',
    remedy: 'Write file:///directory/ or s3://[REGION@]BUCKET/[PREFIX/].',
  },
  POLICY_PUBLISH_CONFLICT: {
    summary: 'Somebody else published at the same time, or what is published there is not a policy that can be read.',
    remedy: 'Look at what is there, then publish again.',
  },
  POLICY_STORE_FAILED: {
    summary: 'Reading from or writing to the object store failed; its words are in the message.',
    remedy: 'Check credentials, region, bucket and network.',
  },
  POLICY_FILE_EXISTS: {
    summary: 'The file to be written exists already.',
    remedy: 'Choose another name, or pass `--force` where the command has it.',
  },
  POLICY_FILE_UNWRITABLE: {
    summary: 'A file could not be written.',
    remedy: 'Check that the directory exists and that this user may write there.',
  },
  POLICY_QUERY: {
    summary: 'The question asked of a policy is malformed.',
    remedy: 'Read `ucp-policy check --help` for the form of each domain.',
  },
  POLICY_TEST_TABLE: {
    summary: 'The table of test cases is malformed.',
    remedy: 'Correct the case named; `ucp-policy test --help` shows the form.',
  },
} as const;
