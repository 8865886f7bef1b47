import { Command, Option } from 'commander';

import { HASHES, inspectPolicy, signDetached, type SigningChoice } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput, writeOutput } from '../files.ts';
import { loadPrivateKey } from '../private-key.ts';

interface Options extends SigningChoice {
  readonly key?: string;
  readonly out?: string;
  readonly base64?: boolean;
}

/** `ucp-policy sign FILE --key KEY`: writes FILE.sig. */
export function command(cli: Cli): Command {
  const definition = new Command('sign')
    .description('Sign the exact bytes of a policy file. The key decides the algorithm.')
    .argument('<file>', 'policy file')
    .option('--key <file>', 'private key; without it, UCP_SIGNING_KEY holds its PEM text')
    .option('--out <file>', 'signature file (default: FILE.sig)')
    .option('--base64', 'write base64 instead of raw bytes')
    .addOption(new Option('--hash <name>', 'hash for ECDSA and RSA').choices(HASHES))
    .addOption(new Option('--padding <name>', 'padding for RSA').choices(['pkcs1', 'pss']));
  return verb<Options>(cli, definition, ([file = ''], { key, out = `${file}.sig`, base64, hash, padding }, output) => {
    const bytes = readInput(file);
    const { problems } = inspectPolicy(bytes);
    if (problems.length > 0) {
      output.note(`warning: ${file} is signed, but it is not a valid policy; see ucp-policy validate ${file}`);
    }
    const { signature, kind, keyId } = signDetached(bytes, loadPrivateKey(key, cli.io.env), { hash, padding });
    const text = `${Buffer.from(signature).toString('base64')}\n`;
    writeOutput(out, base64 === true ? text : signature, { replace: true });
    output.answer({ signature: out, key_id: keyId, type: kind, valid: problems.length === 0 }, () =>
      lines(`Signed ${file} with ${kind} key ${keyId}: ${out}`),
    );
    return EXIT.ok;
  });
}
