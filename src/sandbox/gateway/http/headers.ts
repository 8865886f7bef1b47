/** Headers of one connection, not of the message (RFC 9110, 7.6.1), and those that change where a client turns to. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'alt-svc',
]);

/** `raw` (names and values in turn) without what belongs to the connection and without `also`, names in small letters. */
export function forwarded(raw: readonly string[], also: readonly string[] = []): string[] {
  const dropped = new Set([...also, ...namedByConnection(raw)]);
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const lower = name.toLowerCase();
    if (!HOP_BY_HOP.has(lower) && !dropped.has(lower)) kept.push(name, raw[at + 1] ?? '');
  }
  return kept;
}

function namedByConnection(raw: readonly string[]): readonly string[] {
  const values = raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === 'connection');
  return values.flatMap((value) => value.toLowerCase().split(',')).map((name) => name.trim());
}

/** What a `Content-Type` says: the type, and whether the text is in UTF-8 as JSON and event streams are. */
export function mediaType(header: string | undefined): { readonly type: string; readonly utf8: boolean } {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  const charsets = parameters.map((one) => one.trim()).filter((one) => one.startsWith('charset'));
  return { type: type.trim(), utf8: charsets.every((one) => /^charset="?utf-?8"?$/.test(one)) };
}
