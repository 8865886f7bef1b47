import { UcpError } from '../../core/errors.ts';

/** A package of a registry that holds an MCP server. */
export interface PackageSpec {
  readonly manager: 'npx' | 'uvx';
  readonly name: string;
  /** A version, range or tag; absent: the newest. */
  readonly version?: string;
}

const NPM = /^npx:((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([\w.^~<>=*+ -]+))?$/;
const PYTHON = /^uvx:([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:(?:@|==)([A-Za-z0-9.!+_-]+))?$/;

/** What `npx:NAME[@VERSION]` and `uvx:NAME[@VERSION]` mean; undefined for the name of an image. Throws USAGE. */
export function parsePackage(text: string): PackageSpec | undefined {
  const manager = /^(npx|uvx):/.exec(text)?.[1];
  if (manager !== 'npx' && manager !== 'uvx') return undefined;
  const [, name, version] = (manager === 'npx' ? NPM : PYTHON).exec(text) ?? [];
  if (name === undefined) {
    throw new UcpError('USAGE', `Expected ${manager}:NAME or ${manager}:NAME@VERSION, got ${JSON.stringify(text)}.`);
  }
  return { manager, name, ...(version === undefined || version === 'latest' ? {} : { version }) };
}
