import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';

/** Why a request does not come in, as HTTP says it. */
export interface Rejection {
  readonly status: number;
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of which a second one would let two readers choose differently. */
const SINGLE =
  /^(?:host|origin|authorization|content-type|content-encoding|content-length|transfer-encoding|last-event-id|mcp-.*)$/;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;

/**
 * Decides whether a request may come in at all: one way to read it, a Host that no foreign name can stand for and an
 * Origin of this machine (DNS rebinding), and the bearer token, where one is demanded (`token`: its SHA-256).
 */
export function admit(request: IncomingMessage, token: Buffer | undefined): Rejection | undefined {
  const { url = '', headers } = request;
  if (!url.startsWith('/')) return { status: 400, reason: 'The request names no path of this server.' };
  const twice = ambiguous(request.rawHeaders);
  if (twice !== undefined) return { status: 400, reason: `The header ${twice} can be read in two ways.` };
  if (!isOwnHost(headers.host ?? '')) {
    return { status: 403, reason: 'The header Host names neither an address nor this machine.' };
  }
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host ?? '')) {
    return { status: 403, reason: 'The header Origin names another site.' };
  }
  if (token === undefined || carries(headers.authorization, token)) return undefined;
  return { status: 401, reason: 'A bearer token is needed.', headers: { 'WWW-Authenticate': 'Bearer' } };
}

/** A header that counts and comes twice, or in a spelling that some servers take for another one (`_` for `-`). */
function ambiguous(raw: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const given = raw[at]?.toLowerCase() ?? '';
    const name = given.replaceAll('_', '-');
    if (!SINGLE.test(name)) continue;
    if (seen.has(name) || given !== name) return given;
    seen.add(name);
  }
  return undefined;
}

/** An address can't be rebound; of names only those that nobody else can give out. */
function isOwnHost(host: string): boolean {
  const name = HOST.exec(host)?.[1]
    ?.replace(/^\[|\]$/g, '')
    .toLowerCase();
  return name !== undefined && (isIP(name) !== 0 || isLocalName(name) || name === hostname().toLowerCase());
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function isOwnOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (url.host !== '' && url.host === new URL(`${url.protocol}//${host}`).host) return true;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return isLocalName(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function carries(authorization: string | undefined, token: Buffer): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return given !== undefined && timingSafeEqual(createHash('sha256').update(given).digest(), token);
}
