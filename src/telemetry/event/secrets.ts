/** One kind of credential that has a form of its own; `replacement` keeps what is not secret of the match. */
interface SecretForm {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const form = (name: string, pattern: RegExp): SecretForm => ({ pattern, replacement: `[redacted:${name}]` });

/**
 * Conservative on purpose: forms that are credentials and nothing else. Each is linear in its input: a repeated
 * class never starts inside a run of itself (lookbehind), and counted runs are short.
 */
const FORMS: readonly SecretForm[] = [
  form('private_key', /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/g),
  form('aws_key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  form('github_token', /(?<!\w)(?:gh[pousr]_|github_pat_)\w{20,}/g),
  form('gitlab_token', /(?<![\w-])glpat-[\w-]{20,}/g),
  form('slack_token', /(?<![\w-])xox[abeoprs]-[\w-]{10,}/g),
  form('api_key', /(?<![\w-])sk-[\w-]{20,}/g),
  form('payment_key', /(?<!\w)[rs]k_(?:live|test)_\w{16,}/g),
  form('google_key', /(?<![\w-])AIza[\w-]{35}/g),
  form('registry_token', /(?<![\w-])(?:npm_|hf_|pypi-)[\w-]{30,}/g),
  form('jwt', /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g),
  { pattern: /\b(Bearer|Basic)\s{1,4}[\w.~+/=-]{12,}/gi, replacement: '$1 [redacted]' },
  { pattern: /(:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}@/g, replacement: '$1[redacted]@' },
  {
    pattern:
      /((?:password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?:auth|access|refresh|session)[_-]?token)(?:=|["']\s?[:=]\s?["']))[^\s"',;&]{3,}/gi,
    replacement: '$1[redacted]',
  },
];

/** True for what any of the forms could match: one scan that most strings end with. */
const SUSPICIOUS =
  /AKIA|ASIA|gh[pousr]_|github_pat|glpat-|xox|sk-|[rs]k_|AIza|npm_|hf_|pypi-|eyJ|-----BEGIN|bearer|basic|:\/\/[^\s/@]*@|pass|secret|[_-]?key|token/i;

/** Names of fields whose text is a credential whatever it looks like; the last part of a dotted name counts. */
const SECRET_NAME =
  /^(?:proxy-)?authorization$|^(?:set-)?cookie$|^x-api-key$|^(?:\w{1,32}[_-])?(?:password|passwd|secret|api[_-]?key|private[_-]?key|secret[_-]?key|access[_-]?key|(?:auth|access|refresh|id|session|bearer)[_-]?token)$|^token$/i;

const SECRET_FLAG = /^--?(?:password|passwd|secret|token|api-?key|access-?token|auth-?token|client-secret)$/i;

/** `text` with every credential of a known form replaced by a marker that names its kind. */
export function redactText(text: string): string {
  if (text.length < 8 || !SUSPICIOUS.test(text)) return text;
  return FORMS.reduce((rest, { pattern, replacement }) => rest.replace(pattern, replacement), text);
}

/** True where the field's name says that its text is a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.slice(name.lastIndexOf('.') + 1));
}

/** True for a command line's argument after which a credential follows. */
export function isSecretFlag(argument: string): boolean {
  return SECRET_FLAG.test(argument);
}
