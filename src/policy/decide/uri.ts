/**
 * The form in which resource URIs are compared: no white space around it, scheme and authority in lower case, no user
 * and no `localhost` for files, percent-encoded letters, digits and `-._~` decoded once, other escapes in upper case,
 * `.` and `..` resolved (RFC 3986, 6.2.2), no fragment. Text without a scheme only loses its white space.
 */
export function canonicalUri(uri: string): string {
  const match = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/i.exec(decodeUnreserved(uri.trim()));
  if (match === null) return uri.trim();
  const scheme = (match[1] ?? '').toLowerCase();
  const authority = match[2]?.toLowerCase();
  const path = withoutDots(match[3] ?? '');
  const query = match[4] ?? '';
  if (scheme === 'file' && path.startsWith('/')) {
    return `file://${authority === 'localhost' ? '' : (authority ?? '')}${path}${query}`;
  }
  return `${scheme}:${authority === undefined ? '' : `//${authority}`}${path}${query}`;
}

function decodeUnreserved(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : escape.toUpperCase();
  });
}

/** Resolves `.` and `..` in an absolute path; a relative one (`urn:a:b`) stays. */
function withoutDots(path: string): string {
  if (!path.startsWith('/') || !/\/\.{1,2}(?:\/|$)/.test(path)) return path;
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const segment of segments) {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
  }
  const last = segments.at(-1);
  return `/${kept.join('/')}${(last === '.' || last === '..') && kept.length > 0 ? '/' : ''}`;
}

/**
 * The form in which server URLs are compared: as {@link canonicalUri}, default ports and a lone `/` taken out.
 * Undefined for what no rule may let through: not http(s), a user before the host, escapes or white space in the host.
 */
export function canonicalUrl(url: string): string | undefined {
  const match = /^(https?):\/\/([^/?]*)(.*)$/.exec(canonicalUri(url));
  if (match === null || /[@%\\\s]/.test(match[2] ?? '') || match[2] === '') return undefined;
  const host = (match[2] ?? '').replace(match[1] === 'https' ? /:443$/ : /:80$/, '').replace(/\.(?=:|$)/, '');
  const rest = match[3] === '/' ? '' : (match[3] ?? '');
  return `${match[1]}://${host}${rest}`;
}
