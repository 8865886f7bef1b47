import { type Address, parseAddress } from './address.ts';

/** The target of a connection: a name in lower-case ASCII without a dot at its end, or an address. */
export type Host =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'address'; readonly address: Address; readonly text: string };

/**
 * Reads a host the way resolvers and URL parsers do, so that no other spelling of it gets by: case, a dot at the end,
 * international names (punycode), full-width forms, numbers that are addresses (`0x7f.1`, `2130706433`), brackets.
 * Undefined: it isn't a host alone (`user@host`, percent-encoding, a port, a path, white space) or not a valid one.
 */
export function parseHost(text: string): Host | undefined {
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  const literal = parseAddress(bare);
  if (literal !== undefined) return { kind: 'address', address: literal, text: bare };
  // eslint-disable-next-line no-control-regex
  if (text === '' || /[\u0000-\u0020\u007f%@/\\?#:[\]]/.test(text)) return undefined;
  const parsed = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`).hostname : '';
  const name = parsed.replace(/\.$/, '');
  if (name === '' || name.length > 253 || name.split('.').some((label) => label === '' || label.length > 63)) {
    return undefined;
  }
  const address = parseAddress(name);
  return address === undefined ? { kind: 'name', name } : { kind: 'address', address, text: name };
}
