import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';

/** Files in PEM. */
export interface Certificates {
  /** A directory with nothing but `ca.pem`, the authority that clients have to trust; the test image wants it at /ca. */
  readonly trust: string;
  readonly cert: string;
  readonly key: string;
}

/** Makes an authority in `dir` and a certificate of it for `names`, valid for a day. */
export async function certificates(dir: string, names: readonly string[]): Promise<Certificates> {
  const openssl = (line: string) => execa('openssl', line.split(' '), { cwd: dir });
  const fresh = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  await openssl(`req -x509 ${fresh} -days 1 -subj /CN=ucp-test-authority -keyout ca.key -out ca.pem`);
  await openssl(`req ${fresh} -subj /CN=ucp-test-site -keyout key.pem -out site.csr`);
  writeFileSync(join(dir, 'names'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`);
  await openssl('x509 -req -in site.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile names -out cert.pem');
  const trust = join(dir, 'trust');
  mkdirSync(trust);
  copyFileSync(join(dir, 'ca.pem'), join(trust, 'ca.pem'));
  return { trust, cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
}
