import { isIP, isIPv4 } from 'node:net';

/** What is wrong with a network in CIDR notation (a bare address is a network of one), or undefined. */
export function cidrProblem(text: string): string | undefined {
  const [address = '', prefix, more] = text.split('/');
  const family = isIP(address);
  const expected = 'expected an IPv4 or IPv6 network such as "10.0.0.0/8" or "fd00::/8"';
  if (family === 0 || address.includes('%') || more !== undefined) return `${expected}, got "${text}"`;
  if (prefix === undefined) return undefined;
  const widest = family === 4 ? 32 : 128;
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > widest) {
    return `expected a prefix length from 0 to ${widest} in "${text}"`;
  }
  return hostBitsSet(address, Number(prefix)) ? `"${text}" has address bits beyond its prefix; clear them` : undefined;
}

/** True when `address` has bits set that a network of this prefix length has not. */
function hostBitsSet(address: string, prefix: number): boolean {
  const bits = isIPv4(address) ? ipv4Bits(address) : ipv6Bits(address);
  return bits.slice(prefix).includes('1');
}

function ipv4Bits(address: string): string {
  return address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}

function ipv6Bits(address: string): string {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const tail = dotted === null ? '' : ipv4Bits(dotted[2] ?? '');
  const hex = dotted === null ? address : (dotted[1] ?? '').replace(/([^:]):$/, '$1');
  const [head = '', rest] = hex.split('::');
  const [before, after] = [groups(head), groups(rest ?? '')];
  const missing = 8 - tail.length / 16 - before.length - after.length;
  return [...before, ...Array.from({ length: rest === undefined ? 0 : missing }, () => '0'), ...after]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('')
    .concat(tail);
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i;

/**
 * What is wrong with a host name of a rule, or undefined. `*.example.com` stands for every name below it, not for
 * `example.com`. A wildcard over a whole top-level domain is refused: it is written by mistake more often than not.
 */
export function hostProblem(text: string): string | undefined {
  const name = text.startsWith('*.') ? text.slice(2) : text;
  const labels = name.split('.');
  if (/[^\u0020-\u007e]/.test(text)) return `expected an ASCII host name, got "${text}"; write it in punycode (xn--…)`;
  if (name.endsWith('.')) return `expected a host name without a dot at its end, got "${text}"`;
  if (name.includes('*')) return `expected "*." only at the start of a host name, got "${text}"`;
  if (name.length > 253 || !labels.every((label) => LABEL.test(label))) {
    return `expected a host name, "*." and a host name, an address or a network, got "${text}"`;
  }
  if (/^(?:\d+|0x[\da-f]+)$/i.test(labels.at(-1) ?? '')) return `"${text}" is neither a host name nor a valid address`;
  if (text.startsWith('*.') && labels.length < 2)
    return `"${text}" stands for a whole top-level domain; name at least two labels`;
  return undefined;
}
