/**
 * Hooks the one line in which every copy of an MCP SDK starts its transport: `X._transport.start()`, the moment when
 * `onmessage` is set and nothing has arrived. Bundlers and minifiers keep property names, so the text is there in
 * plain, bundled and minified programs alike.
 *
 * Since: @modelcontextprotocol/sdk 1.10, @modelcontextprotocol/{client,server} 2.0, @ai-sdk/mcp (`X.transport.start()`).
 * Can't see: mangled properties, bytecode, single-executable applications, code that a program compiles with `vm`
 * from text of its own.
 */

/** Name of the global that the rewritten text calls: six letters, so that the text keeps its length. */
export const HOOK = '__ucpT';

/** A cheap look before the expression below: most modules don't have it. */
const TRACE = 'ransport.start()';

/** A path of plain names that isn't the tail of a larger expression, then the call. */
const START = /(?<![\w$.)\]?])([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\.(_?transport)\.start\(\)/g;

/** Keywords that an expression can follow, and that the expression above must not take for a name. */
const NOT_AN_OWNER = new Set(['super', 'import', 'new']);

/**
 * `source` with each `owner._transport.start()` turned into `__ucpT(owner)   .start()`: the same length, so that no
 * line or column of a stack trace or source map moves, and the call itself stays in the program's own frame.
 * Returns `undefined` where there is nothing to turn.
 */
export function rewrite(source: string): string | undefined {
  if (!source.includes(TRACE)) return undefined;
  const turned = source.replace(START, (whole, owner: string, field: string) => {
    if (NOT_AN_OWNER.has(owner)) return whole;
    const call = field === 'transport' ? `${HOOK}(${owner},1)` : `${HOOK}(${owner})`;
    return `${call.padEnd(owner.length + 1 + field.length)}.start()`;
  });
  return turned === source ? undefined : turned;
}
