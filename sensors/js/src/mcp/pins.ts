import { createRequire } from 'node:module';

import { ToolPins } from '../../../../src/policy/mcp/pins.ts';

/** Modules that most programs don't need at start are loaded at first use. */
const builtin = createRequire('/');

/** Pins for the tools of one conversation. */
export function toolPins(): ToolPins {
  return new ToolPins((text) => {
    const { createHash } = builtin('node:crypto') as typeof import('node:crypto');
    return createHash('sha256').update(text).digest('hex');
  });
}
