import type { BuiltinPattern } from './pattern.ts';

/** Credentials in the forms their issuers document, and values that are assigned to a name that says it is secret. */
export const secrets: readonly BuiltinPattern[] = [
  {
    name: 'private_key',
    regex:
      '(?s:-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?)',
    why: 'PEM and OpenPGP private keys; the whole block, so that redaction leaves nothing of it',
  },
  {
    name: 'aws_access_key_id',
    regex: '\\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\\b',
    why: 'AWS access key ids, long-lived and temporary',
  },
  {
    name: 'aws_secret_access_key',
    regex: '(?i:aws_?secret_?access_?key|secretaccesskey)["\']?\\s*[:=]\\s*["\']?[A-Za-z0-9/+]{40}',
    why: 'AWS secret keys have no form of their own; the name beside them tells',
  },
  {
    name: 'github_token',
    regex: '\\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})\\b',
    why: 'GitHub personal, OAuth, app and fine-grained tokens',
  },
  { name: 'gitlab_token', regex: '\\bgl(?:pat|ptt|dt|rt|cbt)-[A-Za-z0-9_-]{20,}', why: 'GitLab tokens' },
  {
    name: 'slack_token',
    regex: '\\bxox[abeoprs]-[0-9A-Za-z-]{10,}|\\bxapp-\\d-[A-Z0-9]+-\\d+-[a-f0-9]{32,}',
    why: 'Slack bot, user and app tokens',
  },
  {
    name: 'slack_webhook',
    regex: 'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+]{30,}',
    why: 'Slack webhooks: whoever has the URL may post',
  },
  { name: 'google_api_key', regex: '\\bAIza[0-9A-Za-z_-]{35}', why: 'Google API keys' },
  {
    name: 'stripe_key',
    regex: '\\b(?:sk|rk)_live_[0-9A-Za-z]{16,}',
    why: 'Stripe live keys; test keys are no secrets',
  },
  {
    name: 'openai_key',
    regex: '\\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}',
    why: 'OpenAI keys',
  },
  { name: 'anthropic_key', regex: '\\bsk-ant-[a-z]{3,8}\\d\\d-[A-Za-z0-9_-]{60,}', why: 'Anthropic keys' },
  { name: 'huggingface_token', regex: '\\bhf_[A-Za-z]{34}\\b', why: 'Hugging Face tokens' },
  { name: 'npm_token', regex: '\\bnpm_[A-Za-z0-9]{36}\\b', why: 'npm access tokens' },
  { name: 'pypi_token', regex: '\\bpypi-AgE[A-Za-z0-9_-]{50,}', why: 'PyPI upload tokens' },
  {
    name: 'sendgrid_key',
    regex: '\\bSG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
    why: 'SendGrid keys',
  },
  { name: 'digitalocean_token', regex: '\\bdo[op]_v1_[a-f0-9]{64}\\b', why: 'DigitalOcean tokens' },
  { name: 'azure_storage_key', regex: '\\bAccountKey=[A-Za-z0-9+/]{86}==', why: 'Azure storage connection strings' },
  {
    name: 'jwt',
    regex: '\\beyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{20,}',
    why: 'Signed JSON web tokens; unsigned ones grant nothing',
  },
  {
    name: 'authorization_header',
    regex:
      '(?i:\\bauthorization["\']?\\s*[:=]\\s*["\']?(?:bearer|basic|token)\\s+)(?:[A-Za-z._~+/=-]*[0-9]){2,}[A-Za-z0-9._~+/=-]{6,}',
    why: 'Credentials of an HTTP request; two digits at least, so that placeholders pass',
  },
  {
    name: 'url_password',
    regex:
      '\\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?|rediss?|amqps?|mssql|ftps?|https?)://[^\\s:/@"\'<>{}$]*:[^\\s:/@"\'<>{}$]*[0-9][^\\s/@"\'<>{}$]*@[A-Za-z0-9.-]+',
    why: 'A password in a URL; a digit in it is demanded, since examples mostly say "user:password"',
  },
  {
    name: 'assigned_secret',
    regex:
      '(?i:(?:api_?-?key|secret_?-?key|client_?-?secret|access_?-?token|auth_?-?token|refresh_?-?token|password|passwd)["\']?\\s*(?::|=|=>)\\s*["\']?)(?:[A-Za-z+/_!@#%^*~-]*[0-9]){3,}[A-Za-z0-9+/_!@#%^*~=-]{3,}',
    why: 'A value with three digits and some length, assigned to a name that says it is secret',
  },
];
