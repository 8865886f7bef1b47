import { ToolPins } from '../../../../src/policy/mcp/pins.ts';
import { builtin } from '../load/builtin.ts';

/** Servers without sessions that are told apart by name in one program. */
const MAX_SERVERS = 256;

/** Pins for the tools of one conversation. */
export function toolPins(): ToolPins {
  return new ToolPins((text) => {
    const { createHash } = builtin('node:crypto') as typeof import('node:crypto');
    return createHash('sha256').update(text).digest('hex');
  });
}

const shared = new WeakMap<object, Map<string, ToolPins>>();

/**
 * Pins for a server that keeps no sessions: each of its requests has a transport of its own, so what was listed is
 * remembered for as long as the program lives. `keeper`: whose memory it is.
 */
export function serverPins(keeper: object, server: string): ToolPins {
  const byName = shared.get(keeper) ?? new Map<string, ToolPins>();
  shared.set(keeper, byName);
  const known = byName.get(server);
  if (known !== undefined) return known;
  if (byName.size >= MAX_SERVERS) byName.clear();
  const pins = toolPins();
  byName.set(server, pins);
  return pins;
}
