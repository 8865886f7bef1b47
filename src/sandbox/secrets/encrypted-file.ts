import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

import { UcpError } from '../../core/errors.ts';
import { printed } from './command.ts';
import type { SecretHost } from './read-secrets.ts';

/** How a file says what encrypted it. */
const AGE = ['age-encryption.org/', '-----BEGIN AGE ENCRYPTED FILE-----'] as const;
const OPENSSL = ['Salted__', 'U2FsdGVkX1'] as const;

/** Where this user's secrets and the keys to them are kept. */
function secretsDir({ env, home }: SecretHost): string {
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'ucp/secrets');
}

/** The user's encrypted file of a name, if there is one. */
export function fileOf(name: string, host: SecretHost): string | undefined {
  return ['age', 'enc'].map((end) => join(secretsDir(host), `${name}.${end}`)).find((path) => existsSync(path));
}

/**
 * What an encrypted file holds: one of age, by the identity in UCP_AGE_IDENTITY, or one of `openssl enc -aes-256-cbc
 * -pbkdf2`, by the passphrase in the file UCP_SECRETS_PASSPHRASE; else `identity` and `passphrase` of
 * {@link secretsDir}. Throws SECRET_UNREADABLE.
 */
export async function decrypted(name: string, path: string, host: SecretHost): Promise<Buffer> {
  const head = beginning(name, path);
  const { program, args } = commandFor(name, path, head, host);
  const ended = await printed(program, args, host.env);
  if (ended.kind === 'done') return ended.stdout;
  const why = ended.kind === 'missing' ? `${program} is not installed here` : `${program}: ${ended.reason}`;
  throw new UcpError('SECRET_UNREADABLE', `The secret ${name} in ${path} can't be decrypted: ${why}.`);
}

function commandFor(name: string, path: string, head: string, host: SecretHost): { program: string; args: string[] } {
  const key = (variable: string, file: string): string => host.env[variable] || join(secretsDir(host), file);
  if (AGE.some((start) => head.startsWith(start))) {
    return { program: 'age', args: ['--decrypt', '--identity', key('UCP_AGE_IDENTITY', 'identity'), path] };
  }
  if (OPENSSL.some((start) => head.startsWith(start))) {
    const base64 = head.startsWith('Salted__') ? [] : ['-base64', '-A'];
    const passphrase = `file:${key('UCP_SECRETS_PASSPHRASE', 'passphrase')}`;
    const args = ['enc', '-d', '-aes-256-cbc', '-pbkdf2', ...base64, '-in', path, '-pass', passphrase];
    return { program: 'openssl', args };
  }
  throw new UcpError(
    'SECRET_UNREADABLE',
    `The secret ${name}: ${path} is encrypted neither by age nor by openssl enc; a secret in the clear is not taken from a file.`,
  );
}

function beginning(name: string, path: string): string {
  const bytes = Buffer.alloc(64);
  try {
    const fd = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(fd, bytes)).toString('latin1');
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw new UcpError('SECRET_UNREADABLE', `The secret ${name}: ${path} can't be read: ${String(cause)}.`, { cause });
  }
}
