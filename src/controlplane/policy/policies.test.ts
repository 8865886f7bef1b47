import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { policyOf } from '../testing/scene.ts';
import { Policies, type PoliciesOptions } from './policies.ts';

const keys = generateKeyPairSync('ed25519');

let dir: string;
let policyFile: string;
let policyKey: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cp-policies-'));
  policyFile = join(dir, 'p.json');
  policyKey = join(dir, 'key.pub');
  const bytes = Buffer.from('{"policy_id":"own","version":7}');
  writeFileSync(policyFile, bytes);
  writeFileSync(`${policyFile}.sig`, sign(null, bytes, keys.privateKey));
  writeFileSync(policyKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function policies(options: Partial<PoliciesOptions> = {}): Policies {
  return new Policies({
    onDemand: true,
    defaultKey: () => undefined,
    inForce: async () => policyOf(1),
    generationOf: () => 9,
    ...options,
  });
}

test('a run that names no policy gets the host’s', async () => {
  await expect(policies().forRequest({})).resolves.toEqual(policyOf(1));
});

test('a run that names one gets it, verified by its key or the configured one', async () => {
  const expected = { source: 'file', size: 31, ref: { policy_id: 'own', version: 7, generation: 9 } };
  await expect(policies().forRequest({ policyFile, policyKey })).resolves.toMatchObject(expected);
  await expect(policies({ defaultKey: () => policyKey }).forRequest({ policyFile })).resolves.toMatchObject(expected);
});

test.each<[string, () => void, Partial<PoliciesOptions>, string, RegExp]>([
  ['under the service', () => undefined, { onDemand: false }, 'POLICY_FIXED', /p\.json/],
  ['without a signature', () => rmSync(`${policyFile}.sig`), {}, 'FILE_UNREADABLE', /not signed/],
  ['with other bytes', () => writeFileSync(policyFile, '{}'), {}, 'POLICY_SIGNATURE_INVALID', /signature/],
  ['without the key file', () => rmSync(policyKey), {}, 'FILE_UNREADABLE', /key\.pub/],
])('a run’s own policy is refused %s', async (_, spoil, options, code, message) => {
  spoil();
  const chosen = policies(options).forRequest({ policyFile, policyKey });
  await expect(chosen).rejects.toMatchObject({ code, message: expect.stringMatching(message) as unknown });
});

test('a run’s own policy without any key is refused with the flag to use', async () => {
  await expect(policies().forRequest({ policyFile })).rejects.toThrow('--policy-key');
});
