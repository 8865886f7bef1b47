import { expect, test } from 'vitest';

import { programOf } from './npm.ts';
import { parsePackage } from './package-spec.ts';

test.each([
  ['npx:server', { manager: 'npx', name: 'server' }],
  ['npx:@scope/server@1.2.3', { manager: 'npx', name: '@scope/server', version: '1.2.3' }],
  ['npx:@scope/server@^1', { manager: 'npx', name: '@scope/server', version: '^1' }],
  ['npx:server@latest', { manager: 'npx', name: 'server' }],
  ['uvx:mcp-server-time', { manager: 'uvx', name: 'mcp-server-time' }],
  ['uvx:mcp-server-time@1.0', { manager: 'uvx', name: 'mcp-server-time', version: '1.0' }],
  ['uvx:mcp-server-time==1.0', { manager: 'uvx', name: 'mcp-server-time', version: '1.0' }],
  ['registry:5000/img', undefined],
])('%s', (text, expected) => {
  expect(parsePackage(text)).toEqual(expected);
});

test.each(['npx:', 'npx:--help', 'npx:file:../x', 'npx:git+ssh://x', 'uvx:-r', 'uvx:x[y]', 'npx:a b', 'npx:/x'])(
  '%s is no package',
  (text) => {
    expect(() => parsePackage(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  },
);

test('the program is the only one, or the one named like the package', () => {
  expect(programOf('x', 'main.js')).toBe('main.js');
  expect(programOf('@a/x', { other: 'o.js' })).toBe('o.js');
  expect(programOf('@a/x', { other: 'o.js', x: 'x.js' })).toBe('x.js');
  expect(() => programOf('x', { a: '1', b: '2' })).toThrow(expect.objectContaining({ code: 'PACKAGE_FAILED' }));
  expect(() => programOf('x', undefined)).toThrow(/no program/);
});
