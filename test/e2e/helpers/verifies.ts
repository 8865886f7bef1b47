import { test } from 'vitest';

import type { RequirementId } from '../requirements.ts';

/** A test that proves the requirements it cites; the ids lead its title. */
export function verifies(ids: readonly RequirementId[], behaviour: string, body: () => Promise<void> | void): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them
  test(`[${ids.join(' ')}] ${behaviour}`, body);
}
