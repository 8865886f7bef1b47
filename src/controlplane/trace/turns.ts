/** Turns of the event loop after which all that had arrived is read, on a connection that was new, too. */
const TURNS = 3;

/**
 * Calls `then` when everything that was readable before is read: a sensor writes before its program acts, but its
 * socket may be looked at after the one that tells of the act.
 */
export function afterArrivals(then: () => void, turns: number = TURNS): void {
  if (turns === 0) then();
  else setImmediate(() => afterArrivals(then, turns - 1));
}
