import { describe, expect, test } from 'vitest';

import { findInstall, installed, readInstalled } from './install.ts';

const incomplete = { code: 'INSTALL_INCOMPLETE' };

describe('the installation', () => {
  test('is found from a file in it, and its parts are readable', () => {
    expect(JSON.parse(readInstalled(findInstall().seccomp).toString('utf8'))).toHaveProperty('defaultAction');
  });

  test('names a part that is missing', () => {
    const path = '/nonexistent/ucp-init';
    expect(() => installed(path)).toThrow(
      expect.objectContaining({ ...incomplete, message: expect.stringContaining(path) as unknown }),
    );
    expect(() => readInstalled(path)).toThrow(expect.objectContaining(incomplete));
  });

  test('does not exist where no package is', () => {
    expect(() => findInstall('/')).toThrow(expect.objectContaining(incomplete));
  });
});
