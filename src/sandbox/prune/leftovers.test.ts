import { expect, test } from 'vitest';

import type { SandboxStatus } from '../../core/protocol.ts';
import type { ListedContainer, ListedImage } from '../../engine/inventory.ts';
import type { ServerDefinition } from '../servers/definition.ts';
import { leftovers, type Sight } from './leftovers.ts';

const id = (digit: string): string => `sha256:${digit.repeat(64)}`;
const sandbox = (
  name: string,
  state: SandboxStatus['state'],
  mode: SandboxStatus['mode'] = 'detached',
): SandboxStatus => ({
  sandboxId: `id-${name}`,
  name,
  image: 'img',
  mode,
  state,
  createdAt: '2026-01-01T00:00:00Z',
  policyDigest: id('0'),
  degraded: [],
  restartable: true,
});
const container = (name: string, more: Partial<ListedContainer>): ListedContainer => ({
  id: `c-${name}`,
  name,
  labels: {},
  image: 'img',
  imageId: id('9'),
  state: 'exited',
  pid: 0,
  exitCode: 0,
  sources: [],
  ...more,
});
const image = (digit: string, ...names: readonly string[]): ListedImage => ({
  id: id(digit),
  names,
  labels: {},
  bytes: 1,
});
const definition = (digit: string, more: Partial<ServerDefinition> = {}): ServerDefinition => ({
  version: 1,
  image: 'img',
  id: id(digit),
  flags: [],
  command: [],
  pinnedAt: '2026-01-01T00:00:00Z',
  ...more,
});
const clean: Sight = {
  sandboxes: [],
  state: { dir: '/s', owner: 'us', ids: [] },
  containers: [],
  images: [],
  builder: 'me',
  definitions: [],
  unreadable: [],
  present: new Set(),
  directories: [],
  isHeld: () => false,
};
const names = (sight: Partial<Sight>): readonly string[] => leftovers({ ...clean, ...sight }).map(({ name }) => name);

test('sandboxes that have ended, none that runs or has a front end', () => {
  const sandboxes = [sandbox('over', 'exited'), sandbox('on', 'running'), sandbox('front', 'exited', 'attached')];
  expect(names({ sandboxes })).toEqual(['over']);
});

test('containers of a state directory that was here before, none of other directories and none that runs', () => {
  const labels = { 'ucp.sandbox': 'x', 'ucp.owner': 'past' };
  const here = { sources: ['/s/sandboxes/x/run'] };
  const containers = [
    container('past', { labels, ...here }),
    container('past-helper', { labels: { 'ucp.helper': 'ucp-net', 'ucp.owner': 'past' }, ...here }),
    container('alive', { labels, ...here, state: 'running' }),
    container('ours', { labels: { ...labels, 'ucp.owner': 'us' }, ...here }),
    container('neighbour', { labels, sources: ['/s2/sandboxes/x/run'] }),
    container('stranger', { ...here }),
  ];
  expect(names({ containers })).toEqual(['past', 'past-helper']);
  expect(names({ containers, state: undefined })).toEqual([]);
});

test('interrupted builds of this user, whose program is dead', () => {
  const labels = { 'io.ucp.builder': 'me', 'io.ucp.build': 'b:1:1' };
  const containers = [
    container('ucp-build-1', { labels, state: 'created' }),
    container('ucp-build-2', { labels, state: 'running' }),
    container('ucp-build-3', { labels: { ...labels, 'io.ucp.builder': 'other' }, state: 'created' }),
    // Made by hand from an image that was built: it has the labels of that.
    container('mine', { labels, state: 'created' }),
  ];
  expect(names({ containers })).toEqual(['ucp-build-1']);
  expect(names({ containers, isHeld: () => true })).toEqual([]);
});

test('images that no definition and no container uses, none while a definition cannot be read', () => {
  const images = [
    image('1', 'ucp-package/a:1'),
    image('2', 'ucp-package/b:1'),
    image('3', 'ucp-package/c:1'),
    image('4'),
  ];
  const used = {
    images,
    definitions: [{ name: 'a', definition: definition('1') }],
    present: new Set([id('1')]),
    containers: [container('of-c', { imageId: id('3') })],
  };
  expect(names(used)).toEqual(['ucp-package/b:1', id('4')]);
  expect(names({ ...used, unreadable: ['edited'] })).toEqual([]);
});

test('definitions that nothing can bring back', () => {
  const origin = { spec: 'npx:x', base: 'b' };
  const definitions = [
    { name: 'lost', definition: definition('1') },
    { name: 'there', definition: definition('2') },
    { name: 'of-registry', definition: definition('3', { digest: id('a') }) },
    { name: 'of-package', definition: definition('4', { package: origin }) },
  ];
  expect(names({ definitions, present: new Set([id('2')]) })).toEqual(['lost']);
});

test('files of sandboxes that nobody knows and no container mounts', () => {
  const state = { dir: '/s', owner: 'us', ids: ['lost', 'mounted'] };
  const containers = [container('c', { sources: ['/s/sandboxes/mounted/run'] })];
  expect(names({ state, containers, directories: ['/tmp/ucp-package-1'] })).toEqual([
    '/s/sandboxes/lost',
    '/tmp/ucp-package-1',
  ]);
});
