import { resolve } from 'node:path';

import { UcpError } from '../../../core/errors.ts';
import { MAX_SECRETS, SECRETS_DIR, secretProblem, type SecretRequest } from '../../../core/secrets.ts';
import { badValue } from './usage.ts';

const GRAMMAR = 'NAME[,env=VARIABLE|file=PATH][,from=keyring|env:NAME|file:PATH]';

/** `--secret`. Throws USAGE. */
function parseSecret(text: string): SecretRequest {
  const [name = '', ...settings] = text.split(',');
  const { from, env, file } = parseSettings(settings, text);
  const place = env === undefined || file !== undefined ? { file: absolute(file ?? name) } : {};
  const asked: SecretRequest = {
    name,
    ...(from === undefined ? {} : { from: from.startsWith('file:') ? `file:${resolve(from.slice(5))}` : from }),
    ...(env === undefined ? {} : { env }),
    ...place,
  };
  const problem = secretProblem(asked);
  if (problem === undefined) return asked;
  throw new UcpError('USAGE', `--secret ${text}: ${problem}.`);
}

type Settings = Partial<Record<'from' | 'env' | 'file', string>>;

function parseSettings(settings: readonly string[], text: string): Settings {
  const found: Settings = {};
  for (const setting of settings) {
    const [, key, value = ''] = /^(from|env|file)=(.+)$/s.exec(setting) ?? [];
    if ((key !== 'from' && key !== 'env' && key !== 'file') || key in found) throw badValue('secret', GRAMMAR, text);
    found[key] = value;
  }
  return found;
}

const absolute = (file: string): string => (file.startsWith('/') ? file : `${SECRETS_DIR}/${file}`);

/** Every `--secret`; no two of one name or in one place. Throws USAGE. */
export function parseSecrets(texts: readonly string[]): readonly SecretRequest[] {
  const secrets = texts.map(parseSecret);
  const places = new Set(secrets.flatMap(({ name, env, file }) => [`name ${name}`, env ?? `file ${file ?? ''}`]));
  if (places.size !== 2 * secrets.length) throw new UcpError('USAGE', 'Two --secret have one name or one place.');
  if (secrets.length > MAX_SECRETS) throw new UcpError('USAGE', `A run has at most ${MAX_SECRETS} secrets.`);
  return secrets;
}

/** The flag of a definition, with absolute paths. */
export function writtenSecret(text: string): string {
  const { name, from, env, file } = parseSecret(text);
  const place = env === undefined ? `file=${file ?? ''}` : `env=${env}`;
  return [name, place, ...(from === undefined ? [] : [`from=${from}`])].join(',');
}
