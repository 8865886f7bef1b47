import { z } from 'zod';

/** What can be asked, and the form of the question. */
export const DOMAINS = {
  exec: 'PATH of the program',
  network: 'HOST:PORT[/udp], with --config NAME',
  ingress: 'ADDRESS:PORT, with --config NAME',
  tool: 'SERVER/NAME, with --args JSON or --response JSON to look into a call',
  resource: 'SERVER/URI',
  prompt: 'SERVER/NAME, with --args JSON',
  method: 'SERVER/METHOD of a request or notification, with --args JSON (its parameters); JavaScript sensor',
  'http-server': 'URL, with --transport and --authenticated',
  'stdio-server': 'COMMAND, with --args JSON (a list of arguments)',
  card: 'JSON of an agent card: {"name", "description", "skills"}',
  volume: 'HOST-PATH[:rw]',
  env: 'NAME[=VALUE]',
  user: 'UID[:GID] or name',
  namespace: 'NAME of the namespace that a flag would switch off',
  limit: 'memory=SIZE, cpus=NUMBER or pids=NUMBER',
} as const;
export type Domain = keyof typeof DOMAINS;

export const isDomain = (text: string): text is Domain => Object.hasOwn(DOMAINS, text);

/** What may accompany a question; each domain reads its own. */
export const QueryOptions = z.strictObject({
  config: z.string().describe('network configuration').optional(),
  address: z.string().describe('what the name resolved to').optional(),
  used: z.string().describe('path that the program was asked by, such as a symbolic link').optional(),
  origin: z.enum(['image', 'volume', 'drift']).describe('where the program is from').optional(),
  sensor: z
    .enum(['js_sensor', 'python_sensor', 'gateway'])
    .describe('only this sensor (default: each that has rules)')
    .optional(),
  side: z.enum(['client', 'server']).describe('only this side (default: both)').optional(),
  args: z.json().describe('arguments of the call').optional(),
  response: z.json().describe('result of the call').optional(),
  transport: z.enum(['http', 'sse']).describe('transport to the server (default: http)').optional(),
  authenticated: z.boolean().describe('the request carries credentials').optional(),
});
export type QueryOptions = z.infer<typeof QueryOptions>;

export interface Query extends QueryOptions {
  readonly domain: Domain;
  readonly query: string;
}
