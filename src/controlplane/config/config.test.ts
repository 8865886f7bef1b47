import { describe, expect, test } from 'vitest';

import { below, locationText, parseLocation } from './location.ts';
import { parseConfig } from './parse-config.ts';

const FULL = `
event_format: OTEL
event_url: http://127.0.0.1:4318
ucpcm:
  policy_url: s3://policies/
  policy: policy.json
  policy_sig: policy.sig
  public_key: s3://policies/key.pem
  transport:
    transport_type: s3
    auth_method: default
    region: us-east-1
`;

describe('the configuration', () => {
  test('has every key of the specification, and our defaults', () => {
    expect(parseConfig(FULL, 'c')).toMatchObject({
      event_format: 'OTEL',
      edition: 'free',
      ucpcm: { policy: 'policy.json', poll_interval: 300, max_policy_bytes: 8_388_608 },
    });
  });

  test('may be empty', () => {
    expect(parseConfig('', 'c')).toEqual({ edition: 'free' });
  });

  test.each([
    ['event_formt: OTEL', 1, 'event_formt'],
    ['event_format: OTEL\nevent_url: nowhere\n', 2, 'event_url'],
    [FULL.replace('policy_sig: policy.sig', 'policy_sg: x'), 7, 'policy_sg'],
    [FULL.replace('transport_type: s3', 'transport_type: ftp'), 10, 'transport_type'],
    ['edition: free\nedition: full\n', 2, 'unique'],
    ['a: [', 1, 'c, line'],
  ])('names the line of a fault: %s', (text, line, word) => {
    expect(() => parseConfig(text, 'c')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', details: { line } }),
    );
    expect(() => parseConfig(text, 'c')).toThrow(word);
  });
});

describe('a location', () => {
  test.each([
    [
      's3://eu-west-1@bucket-1/config.yaml',
      { kind: 's3', bucket: 'bucket-1', key: 'config.yaml', region: 'eu-west-1' },
    ],
    ['s3://bucket/', { kind: 's3', bucket: 'bucket', key: '' }],
    ['file:///etc/a%20b', { kind: 'file', path: '/etc/a b' }],
    ['/etc/ucp', { kind: 'file', path: '/etc/ucp' }],
  ])('%s is understood', (text, location) => {
    expect(parseLocation(text)).toEqual(location);
  });

  test('is extended by a name', () => {
    expect(locationText(below(parseLocation('s3://bucket/prod'), 'p.json'))).toBe('s3://bucket/prod/p.json');
    expect(locationText(below(parseLocation('file:///var/p/'), 'p.json'))).toBe('/var/p/p.json');
  });
});
