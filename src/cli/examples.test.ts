import { Command } from 'commander';
import { expect, test } from 'vitest';

import { EXAMPLES, leaves, wordsOf } from './examples.ts';
import { addVerbs } from './policy/main.ts';
import { sandboxTree } from './sandbox/program.ts';
import { ucpdTree } from './ucpd/program.ts';

const nothing = (): void => undefined;
const io = { env: {}, stdout: { write: nothing }, stderr: { write: nothing } };
const never = (): never => {
  throw new Error('not to be run');
};

test('every command has examples of itself, and nothing else has', async () => {
  const policy = new Command('ucp-policy');
  await addVerbs(policy, { io, root: '', exitCode: 0 }, () => true);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing of it is used to describe the commands
  const host = { ...io, home: '', ucpd: '' } as unknown as Parameters<typeof sandboxTree>[0] & Parameters<typeof ucpdTree>[0]; // prettier-ignore
  const commands = [sandboxTree(host, never, never), ucpdTree(host), policy].flatMap(leaves).map(wordsOf);
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(commands.toSorted());
  for (const [words, lines] of Object.entries(EXAMPLES)) {
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain(words);
  }
});
