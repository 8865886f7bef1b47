import { Command } from 'commander';

import { policyDigest, verifyDetached } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput } from '../files.ts';

interface Options {
  readonly signature?: string;
  readonly key: string;
  readonly pin?: string;
}

/** `ucp-policy verify FILE --signature SIG --key PUB`: 0 verified, 1 not, 2 unreadable. */
export function command(cli: Cli): Command {
  const definition = new Command('verify')
    .description('Verify a detached signature over the exact bytes of a policy file.')
    .argument('<file>', 'policy file')
    .option('--signature <file>', 'signature file (default: FILE.sig)')
    .requiredOption('--key <file>', 'public key in PEM; may hold several')
    .option('--pin <sha256>', "SHA-256 of the public key's SubjectPublicKeyInfo");
  return verb<Options>(cli, definition, ([file = ''], { signature = `${file}.sig`, key, pin }, output) => {
    const bytes = readInput(file);
    const { keyId } = verifyDetached({ bytes, signature: readInput(signature), pem: readInput(key), pin });
    const digest = policyDigest(bytes);
    output.answer({ verified: true, key_id: keyId, digest }, () => lines(`${file}: verified by ${keyId}, ${digest}`));
    return EXIT.ok;
  });
}
