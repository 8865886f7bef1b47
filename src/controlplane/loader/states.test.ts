import { describe, expect, test } from 'vitest';

import { START, transition, type Trigger } from './states.ts';

const after = (...triggers: Trigger[]) => triggers.reduce(transition, START);

describe('the loader’s states', () => {
  test.each<[string, Trigger[], string, string]>([
    ['nothing persisted', ['defaulted'], 'default', 'none'],
    ['warm start', ['restored'], 'active', 'none'],
    ['nothing newer', ['restored', 'nothing_newer'], 'active', 'none'],
    [
      'a good candidate',
      ['defaulted', 'newer_found', 'downloaded', 'signature_valid', 'valid', 'applied'],
      'active',
      'none',
    ],
    ['download fails', ['defaulted', 'newer_found', 'download_failed'], 'default', 'none'],
    ['bad signature', ['restored', 'newer_found', 'downloaded', 'signature_invalid'], 'active', 'rejected'],
    ['invalid policy', ['defaulted', 'newer_found', 'downloaded', 'signature_valid', 'invalid'], 'default', 'rejected'],
    [
      'a sensor refuses',
      ['restored', 'newer_found', 'downloaded', 'signature_valid', 'valid', 'apply_failed'],
      'active',
      'rejected',
    ],
    [
      'a pair seen between two PUTs',
      ['restored', 'newer_found', 'downloaded', 'pair_torn', 'downloaded', 'signature_valid', 'valid', 'applied'],
      'active',
      'none',
    ],
    [
      'a newer one after a rejected one',
      ['restored', 'newer_found', 'downloaded', 'signature_invalid', 'newer_found'],
      'active',
      'found',
    ],
    ['no source any more', ['restored', 'newer_found', 'download_failed', 'withdrawn'], 'default', 'none'],
  ])('%s', (_, triggers, inForce, candidate) => {
    expect(after(...triggers)).toEqual({ inForce, candidate });
  });

  test.each<[Trigger[]]>([
    [['defaulted', 'downloaded']],
    [['defaulted', 'newer_found', 'signature_valid']],
    [['defaulted', 'newer_found', 'downloaded', 'valid']],
    [['defaulted', 'newer_found', 'downloaded', 'signature_invalid', 'valid']],
    [['defaulted', 'applied']],
    [['newer_found']],
    [['withdrawn']],
    [['restored', 'restored']],
  ])('no step skips verification or validation: %s', (triggers) => {
    expect(() => after(...triggers)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
