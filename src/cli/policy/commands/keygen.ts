import { Command, Option } from 'commander';

import { generateKey, KEY_TYPES, type KeyType } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { writeOutput } from '../files.ts';

interface Options {
  readonly out: string;
  readonly type: KeyType;
}

/** `ucp-policy keygen --out KEY`: KEY (0600) and KEY.pub. Existing keys are never replaced. */
export function command(cli: Cli): Command {
  const definition = new Command('keygen')
    .description('Make a key pair: KEY (readable by you only) and KEY.pub. UCP_KEY_PASSPHRASE encrypts KEY.')
    .option('--out <key>', 'file of the private key', 'policy.key')
    .addOption(new Option('--type <type>', 'kind of key').choices(KEY_TYPES).default('ed25519'));
  return verb<Options>(cli, definition, (_args, { out, type }, output) => {
    const made = generateKey(type, cli.io.env['UCP_KEY_PASSPHRASE']);
    writeOutput(out, made.privatePem, { mode: 0o600, replace: false });
    writeOutput(`${out}.pub`, made.publicPem, { replace: false });
    output.answer({ private_key: out, public_key: `${out}.pub`, type, key_id: made.keyId }, () =>
      lines(`Private key: ${out} (keep it secret)`, `Public key:  ${out}.pub`, `Pin:         ${made.keyId}`),
    );
    return EXIT.ok;
  });
}
