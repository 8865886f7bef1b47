import { readFileSync } from 'node:fs';

import { UcpError } from '../../../core/errors.ts';
import type { McpHttp, PortRequest } from '../../../core/run-request.ts';
import { badValue } from './usage.ts';

const LOOPBACK = '127.0.0.1';
/** What RFC 6750 allows in a bearer token; shorter ones can be guessed. */
const TOKEN = /^[A-Za-z0-9._~+/-]{16,}=*$/;

/** `--mcp`: what is spoken, with the port in the container where that is HTTP. */
export function parseMcp(text: string): 'stdio' | number {
  if (text === 'stdio') return text;
  const [, digits = ''] = /^http:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port < 1 || port > 65_535) throw badValue('mcp', 'stdio or http:PORT', text);
  return port;
}

/** Puts the gateway where the server's port was to be published; else on the same port of 127.0.0.1. */
export function takePort(
  port: number,
  published: readonly PortRequest[],
): { readonly doors: McpHttp['doors']; readonly ports: readonly PortRequest[] } {
  const isTaken = (one: PortRequest): boolean => one.containerPort === port && one.protocol === 'tcp';
  const doors = published.filter(isTaken).map(({ address, hostPort }) => ({ address, port: hostPort }));
  const ports = published.filter((one) => !isTaken(one));
  return { doors: doors.length === 0 ? [{ address: LOOPBACK, port }] : doors, ports };
}

/** SHA-256, in hexadecimal digits, of the bearer token in a file. Throws FILE_UNREADABLE or USAGE. */
export function tokenDigest(path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new UcpError('FILE_UNREADABLE', `The token file ${path} can't be read: ${String(cause)}.`, { cause });
  }
  if (!TOKEN.test(token)) {
    throw new UcpError('USAGE', `${path} holds no bearer token: 16 or more letters, digits and . _ ~ + / -.`);
  }
  // Loading it takes longer than all else here, and few runs need it.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(token).digest('hex');
}
