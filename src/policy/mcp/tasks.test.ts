import { expect, test } from 'vitest';

import { Tasks } from './tasks.ts';

test('the oldest task is forgotten first', () => {
  const tasks = new Tasks<number>();
  for (let task = 0; task <= 1024; task += 1) tasks.learn(task, { task: { taskId: `t-${task}` } });
  const known = [0, 1, 1024].map((task) => tasks.callOf('tasks/result', { taskId: `t-${task}` }));
  expect(known).toEqual([undefined, 1, 1024]);
});
