import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { isObject, type Shape, shapeProblem } from './shape.ts';

/** Version of the file's form. */
export const DEFINITION_VERSION = 1;

/** A named MCP server: which image, pinned, and with which flags and arguments it runs. Holds no values of secrets. */
export interface ServerDefinition {
  readonly version: typeof DEFINITION_VERSION;
  /** As the user wrote it: what `mcp update` looks for. */
  readonly image: string;
  /** `sha256:<hex>` of the image's configuration. */
  readonly id: string;
  /** `sha256:<hex>` in its registry, where it came from one. */
  readonly digest?: string;
  /** Flags of `run`, each `--name=value` or `--name`, with absolute paths. */
  readonly flags: readonly string[];
  readonly command: readonly string[];
  /** The tools that it listed when it was pinned, as it defined them; absent when it was not asked. */
  readonly tools?: readonly JsonObject[];
  /** What the image was built from, where UCP built it. */
  readonly package?: PackageOrigin;
  /** RFC 3339. */
  readonly pinnedAt: string;
}

/** A package that an image was built from. */
interface PackageOrigin {
  /** As the user wrote it, e.g. `npx:@modelcontextprotocol/server-filesystem`. */
  readonly spec: string;
  readonly base: string;
  readonly registry?: string;
}

const SHA = /^sha256:[0-9a-f]{64}$/;

const SHAPE: Shape = {
  version: (value) => value === DEFINITION_VERSION || `expected ${DEFINITION_VERSION}`,
  image: (value) => (typeof value === 'string' && value !== '') || 'expected the name of an image',
  id: isDigest,
  digest: optional(isDigest),
  flags: (value) => (isStrings(value) && value.every((flag) => flag.startsWith('--'))) || 'expected a list of flags',
  command: (value) => isStrings(value) || 'expected a list of strings',
  tools: optional((value) => (Array.isArray(value) && value.every(isObject)) || 'expected a list of tools'),
  package: optional((value) => isPackage(value) || 'expected an object with spec, base and registry'),
  pinnedAt: (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value))) || 'expected a date',
};

/**
 * The definition in a file's text. Checked by hand: `mcp run` reads it at every start of a server, and loading a schema
 * library would take longer than everything else that it does. Throws SERVER_FILE_INVALID.
 */
export function parseDefinition(text: string, file: string): ServerDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UcpError('SERVER_FILE_INVALID', `${file} is not JSON: correct it or define the server anew.`, { cause });
  }
  const problem = shapeProblem(value, SHAPE);
  if (problem !== undefined) {
    throw new UcpError('SERVER_FILE_INVALID', `${file}: ${problem.message}`, { pointer: problem.pointer });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was looked at
  return value as ServerDefinition;
}

/** The file's text. */
export function formatDefinition(definition: ServerDefinition): string {
  return `${JSON.stringify(definition, null, 2)}\n`;
}

function isDigest(value: unknown): true | string {
  return (typeof value === 'string' && SHA.test(value)) || 'expected sha256: and 64 hex digits';
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPackage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { spec, base, registry = '', ...more } = value;
  return [spec, base, registry].every((text) => typeof text === 'string') && Object.keys(more).length === 0;
}

function optional(check: (value: unknown) => true | string): (value: unknown) => true | string {
  return (value) => value === undefined || check(value);
}
