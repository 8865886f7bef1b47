import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { compileNetwork, decideEgress } from '../policy/index.ts';
import { networksOf, parsePresets } from './presets.ts';

const PRESETS = parsePresets(readFileSync('profiles/network/presets.json'));

function allows(preset: string, host: string, port: number, protocol: 'tcp' | 'udp' = 'tcp'): boolean {
  return decideEgress(compileNetwork({ network: PRESETS }, preset), { host, port, protocol }).allowed;
}

describe('the presets', () => {
  test.each([
    ['open', 'example.com', 22, true],
    ['open', '169.254.169.254', 80, false],
    ['open', '10.0.0.1', 80, false],
    ['web', 'example.com', 443, true],
    ['web', 'example.com', 22, false],
    ['web', '2606:4700::1111', 80, true],
    ['registry', 'pypi.org', 443, true],
    ['registry', 'pypi.org', 80, false],
    ['registry', 'example.com', 443, false],
    ['locked-down', 'example.com', 443, false],
    ['none', 'example.com', 443, false],
  ])('%s: %s:%i: %s', (preset, host, port, expected) => {
    expect(allows(preset, host, port)).toBe(expected);
  });

  test('of a policy without configurations are all there', () => {
    expect(Object.keys(networksOf({}, PRESETS))).toEqual(['open', 'web', 'registry', 'locked-down', 'none']);
  });

  test('beside configurations of a policy are those that let nothing out, and never in the place of one', () => {
    const networks = networksOf({ network: { mine: {}, none: { egress: [{ to: ['a.b'], ports: [1] }] } } }, PRESETS);
    expect(Object.keys(networks).toSorted()).toEqual(['locked-down', 'mine', 'none']);
    expect(networks['none']?.egress).toHaveLength(1);
  });
});
