import type { Draft } from './draft.ts';

/** The sensors that the flat layout's `mcp` speaks about. */
const SENSORS = ['js_sensor', 'python_sensor'] as const;

/** Flat layout: `mcp` at the top holds for both app sensors. */
export function normaliseMcp(draft: Draft): void {
  const mcp = draft.get(['mcp']);
  if (mcp === undefined) return;
  const taken = SENSORS.filter((sensor) => draft.has([sensor, 'mcp']));
  if (taken.length > 0) {
    draft.ambiguous(
      ['mcp'],
      `"mcp" holds for both sensors, and "${taken.join('.mcp" and "')}.mcp" say it again; keep one`,
    );
    draft.drop(['mcp'], 'ambiguous');
    return;
  }
  for (const sensor of SENSORS) {
    draft.set([sensor, 'mcp'], mcp, ['mcp'], '"mcp" at the top holds for the JavaScript and the Python sensor');
  }
  draft.drop(['mcp'], 'copied to both sensors');
}
