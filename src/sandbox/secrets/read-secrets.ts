import { UcpError } from '../../core/errors.ts';
import { MAX_SECRET, type SecretRequest, type SecretValues } from '../../core/secrets.ts';
import { printed } from './command.ts';
import { decrypted, fileOf } from './encrypted-file.ts';

/** Where secrets are looked for. */
export interface SecretHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** Values of secrets by name. */
export type Secrets = ReadonlyMap<string, Buffer>;

/** Reads every secret of a run. Throws SECRET_NOT_FOUND, SECRET_UNREADABLE. */
export async function readSecrets(wanted: readonly SecretRequest[], host: SecretHost): Promise<Secrets> {
  const values = await Promise.all(
    wanted.map(async (secret) => [secret.name, await readSecret(secret, host)] as const),
  );
  return new Map(values);
}

/** As they travel to the control plane. */
export function travelling(secrets: Secrets): SecretValues {
  return Object.fromEntries([...secrets].map(([name, value]) => [name, value.toString('base64')]));
}

/** `host` without the variables that secrets are taken from: what it starts has no need of them. */
export function withoutSecrets<Host extends SecretHost>(host: Host, wanted: readonly SecretRequest[]): Host {
  const taken = new Set(wanted.map((secret) => variableOf(secret)));
  return { ...host, env: Object.fromEntries(Object.entries(host.env).filter(([name]) => !taken.has(name))) };
}

function variableOf({ name, from }: SecretRequest): string {
  return from?.startsWith('env:') === true ? from.slice('env:'.length) : name;
}

async function readSecret(secret: SecretRequest, host: SecretHost): Promise<Buffer> {
  const { name, env } = secret;
  const found = await find(secret, host);
  // Editors and echo end a file with a line break, which no variable wants; a file gets the bytes as they are.
  const value = env !== undefined && found.at(-1) === 0x0a ? found.subarray(0, found.at(-2) === 0x0d ? -2 : -1) : found;
  if (value.length === 0) throw new UcpError('SECRET_UNREADABLE', `The secret ${name} is empty.`);
  if (value.length > MAX_SECRET) {
    throw new UcpError('SECRET_UNREADABLE', `The secret ${name} is longer than ${MAX_SECRET} bytes.`);
  }
  if (env !== undefined && value.includes(0)) {
    throw new UcpError('SECRET_UNREADABLE', `The secret ${name} has a NUL byte: give it to the server with file=PATH.`);
  }
  return value;
}

async function find(secret: SecretRequest, host: SecretHost): Promise<Buffer> {
  const { name, from } = secret;
  if (from?.startsWith('file:') === true) return decrypted(name, from.slice('file:'.length), host);
  if (from === undefined || from === 'keyring') {
    const kept = await fromKeyring(name, host, from === 'keyring');
    if (kept !== undefined) return kept;
    if (from === 'keyring') throw missing(name, 'the keyring has none');
    const path = fileOf(name, host);
    if (path !== undefined) return decrypted(name, path, host);
  }
  const variable = variableOf(secret);
  const value = host.env[variable];
  if (value !== undefined && value !== '') return Buffer.from(value);
  if (from !== undefined) throw missing(name, `the variable ${variable} is not set here`);
  throw missing(
    name,
    'it is neither in the keyring (`secret-tool store --label NAME ucp-secret NAME`), nor in an encrypted file of the user, nor in a variable of that name here',
  );
}

/** The keyring's entry; undefined where there is none, or (unless it is `named`) no keyring. */
async function fromKeyring(name: string, { env }: SecretHost, named: boolean): Promise<Buffer | undefined> {
  const session = (env['DBUS_SESSION_BUS_ADDRESS'] ?? env['XDG_RUNTIME_DIR'] ?? '') !== '';
  if (!named && !session) return undefined;
  const ended = await printed('secret-tool', ['lookup', 'ucp-secret', name], env);
  if (ended.kind === 'done') return ended.stdout.length === 0 ? undefined : ended.stdout;
  if (!named) return undefined;
  const why = ended.kind === 'missing' ? 'secret-tool (package libsecret-tools) is not installed here' : ended.reason;
  throw new UcpError('SECRET_UNREADABLE', `The secret ${name} can't be read from the keyring: ${why}.`);
}

function missing(name: string, where: string): UcpError {
  return new UcpError('SECRET_NOT_FOUND', `There is no secret ${name}: ${where}.`);
}
