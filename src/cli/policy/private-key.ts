import type { KeyObject } from 'node:crypto';

import { UcpError } from '../../core/errors.ts';
import { readPrivateKey } from '../../policy/index.ts';
import type { CliIo } from '../output.ts';
import { readInput } from './files.ts';

/** Environment variable that holds the private key's PEM text where no file is named. */
const KEY_VARIABLE = 'UCP_SIGNING_KEY';

/** The private key of a file, or of the environment; UCP_KEY_PASSPHRASE opens an encrypted one. */
export function loadPrivateKey(path: string | undefined, env: CliIo['env']): KeyObject {
  const pem = path === undefined ? env[KEY_VARIABLE] : readInput(path);
  if (pem === undefined || pem === '') {
    throw new UcpError('USAGE', `expected --key FILE, or the key's PEM text in ${KEY_VARIABLE}; got neither`);
  }
  return readPrivateKey(pem, env['UCP_KEY_PASSPHRASE']);
}
