import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { SensorPolicyFile } from '../../../../src/core/sensor-protocol.ts';
import { Tasks } from '../../../../src/policy/mcp/tasks.ts';
import { deciderOf } from '../policy/decide.ts';
import type { Finding, Target } from '../policy/decider.ts';
import type { Conversation, Refusal } from './conversation.ts';
import { judgeRequest } from './requests.ts';

const POLICY = join(import.meta.dirname, '../../../../test/vectors/compiled/mcp-names.json');

/** What is told of a client of the server `files` that listens to these resources, and whether it may. */
function listening(uris: readonly unknown[]): { told: readonly unknown[]; refused: boolean } {
  const told: unknown[] = [];
  const conversation: Pick<Conversation, 'found' | 'tasks'> & { identity: { name: string } } = {
    identity: { name: 'files' },
    tasks: new Tasks(),
    found: (method: string, target: Target | undefined, { action }: Finding) => {
      told.push([method, target?.kind, target?.name]);
      return action === 'blocked' ? ({} as Refusal) : undefined;
    },
  };
  const decider = deciderOf(JSON.parse(readFileSync(POLICY, 'utf8')) as SensorPolicyFile);
  const params = { notifications: { toolsListChanged: true, resourceSubscriptions: uris } };
  const message = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params } as const;
  const { refusal } = judgeRequest(conversation as unknown as Conversation, decider, 'client', message);
  return { told, refused: refusal !== undefined };
}

test('a denied resource is not listened to, however many others are asked for with it', () => {
  const denied = 'file:///etc/passwd';
  const told = [['subscriptions/listen', 'resources', denied]];
  expect(listening([denied])).toEqual({ told, refused: true });
  expect(listening(['mem://x', denied, 'db://users'])).toEqual({ told, refused: true });
  expect(listening(['mem://x', 'mem://y'])).toEqual({ told: [], refused: false });
  expect(listening([])).toEqual({ told: [], refused: false });
});
