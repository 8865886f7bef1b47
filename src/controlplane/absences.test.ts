import { expect, test } from 'vitest';

import { findAbsences } from './absences.ts';

const missing = (bundles: Parameters<typeof findAbsences>[0]): readonly string[] => {
  const absences = findAbsences(bundles, []);
  return (['js_sensor', 'python_sensor', 'langchain', 'llm'] as const).filter(
    (control) => absences[control] !== undefined,
  );
};

test('model calls are seen where either sensor is installed, frameworks of Python by its own', () => {
  expect(missing({ node: 'n', python: 'p' })).toEqual([]);
  expect(missing({ node: 'n' })).toEqual(['python_sensor', 'langchain']);
  expect(missing({ python: 'p' })).toEqual(['js_sensor']);
  expect(missing({})).toEqual(['js_sensor', 'python_sensor', 'langchain', 'llm']);
});
