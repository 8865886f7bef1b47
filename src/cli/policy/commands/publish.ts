import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Command } from 'commander';

import { UcpError } from '../../../core/errors.ts';
import { openStore, publish } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { type Cli, lines, verb } from '../cli.ts';
import { readInput } from '../files.ts';

interface Options {
  readonly signature?: string;
  readonly key: string;
  readonly name?: string;
  readonly keyName?: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly settle: string;
}

/** `ucp-policy publish FILE TARGET --key PUB`: 0 published or there already, 1 refused or failed. */
export function command(cli: Cli): Command {
  const definition = new Command('publish')
    .description('Publish a signed policy, its signature and its public key; readers never see a mixture.')
    .argument('<file>', 'policy file')
    .argument('<target>', 'file:///directory/ or s3://[REGION@]BUCKET/[PREFIX/]')
    .option('--signature <file>', 'signature file (default: FILE.sig)')
    .requiredOption('--key <file>', 'public key in PEM')
    .option('--name <name>', 'name of the policy there (default: that of FILE); the signature is NAME.sig')
    .option('--key-name <name>', 'name of the public key there (default: that of the key, ending in .pem)')
    .option('--region <region>', "the bucket's region")
    .option('--endpoint <url>', 'S3 service other than AWS')
    .option('--settle <seconds>', 'how long the old signature stays beside the new one', '2');
  return verb<Options>(cli, definition, async ([file = '', target = ''], options, output) => {
    const seconds = Number(options.settle);
    if (!(seconds >= 0 && seconds <= 3600)) {
      throw new UcpError('USAGE', `expected 0 to 3600 seconds for --settle, got "${options.settle}"`);
    }
    const name = options.name ?? basename(file);
    const publicKey = options.keyName ?? `${basename(options.key).replace(/\.(?:pub|pem)$/, '')}.pem`;
    const names = { policy: name, signature: `${name}.sig`, publicKey };
    if (new Set(Object.values(names)).size < 3 || Object.values(names).some((each) => /[/\\]|^\.*$/.test(each))) {
      throw new UcpError(
        'USAGE',
        `expected three different names without slashes, got ${Object.values(names).join(', ')}`,
      );
    }
    const next = {
      policy: readInput(file),
      signature: readInput(options.signature ?? `${file}.sig`),
      publicKey: readInput(options.key),
    };
    const store = await openStore(target, {
      region: options.region,
      endpoint: options.endpoint ?? cli.io.env['AWS_ENDPOINT_URL'],
    });
    const done = await publish(store, names, next, () => sleep(seconds * 1000));
    output.answer({ url: store.url, names, ...done }, () =>
      lines(
        done.unchanged
          ? `${store.url}${name}: version ${done.version} is there already`
          : `${store.url}${name}: published version ${done.version}${done.previous === undefined ? '' : `, was ${done.previous}`}`,
        'In config.yaml:',
        '  ucpcm:',
        `    policy_url: ${store.url}`,
        `    policy: ${names.policy}`,
        `    policy_sig: ${names.signature}`,
        `    public_key: ${store.url}${names.publicKey}`,
        `    public_key_sha256: ${done.keyId.replace('sha256:', '')}`,
      ),
    );
    return EXIT.ok;
  });
}
