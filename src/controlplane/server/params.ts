import { z } from 'zod';

import { ERRORS, type ErrorCode } from '../../core/error-codes/index.ts';
import type { Operation, Operations } from '../../core/protocol.ts';
import { NAMESPACES } from '../../core/run-request.ts';
import { MAX_SECRET, MAX_SECRETS, secretProblem } from '../../core/secrets.ts';
import { SensorLineParams } from './sensor-line.ts';

const Text = z.string().refine((text) => !text.includes('\0'), 'expected text without NUL');
const Texts = z.record(Text, Text);

const Mount = z.object({
  type: z.enum(['bind', 'volume', 'tmpfs']),
  source: Text,
  target: Text,
  readOnly: z.boolean(),
  options: Text.optional(),
});

const Port = z.object({
  address: Text,
  hostPort: z.int().min(0).max(65_535),
  containerPort: z.int().min(1).max(65_535),
  protocol: z.enum(['tcp', 'udp']),
});

const McpHttpParams = z.object({
  port: z.int().min(1).max(65_535),
  doors: z.array(z.object({ address: Text, port: z.int().min(0).max(65_535) })),
  token: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

const Secret = z
  .object({ name: Text, from: Text.optional(), env: Text.optional(), file: Text.optional() })
  .superRefine((secret, context) => {
    const problem = secretProblem(secret);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
const Secrets = z.array(Secret).max(MAX_SECRETS);
/** Messages of problems never have values in them. */
const SecretValuesParams = z.record(Text, z.base64().max(MAX_SECRET * 2));

/** `RunRequest`; unknown fields of newer front ends are ignored, as the protocol says. */
const RunRequestParams = z.object({
  image: Text.min(1),
  command: z.array(Text),
  entrypoint: Text.optional(),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/, 'expected a name of two or more letters, digits, "_", "." and "-"')
    .optional(),
  mode: z.enum(['attached', 'detached']),
  remove: z.boolean(),
  interactive: z.boolean(),
  tty: z.boolean(),
  mcp: z.union([z.literal('stdio'), McpHttpParams]).optional(),
  env: Texts,
  secrets: Secrets.optional(),
  mounts: z.array(Mount),
  ports: z.array(Port),
  workdir: Text.optional(),
  user: Text.optional(),
  hostname: Text.optional(),
  labels: Texts,
  limits: z.object({
    memory: z.int().positive().optional(),
    cpus: z.number().positive().optional(),
    pids: z.int().positive().optional(),
  }),
  platform: Text.optional(),
  stopTimeout: z.number().nonnegative().optional(),
  restart: z
    .object({
      name: z.enum(['no', 'always', 'unless-stopped', 'on-failure']),
      retries: z.int().nonnegative().optional(),
    })
    .optional(),
  isolation: z.array(z.enum(NAMESPACES)).optional(),
  networkConfig: Text.optional(),
  network: Text.optional(),
  policyFile: Text.optional(),
  policyKey: Text.optional(),
  allowDegraded: z.array(Text),
});

const Lease = z.object({ pid: z.int().positive(), startTime: Text, bootId: Text });
const ErrorParams = z.object({
  code: z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(ERRORS, code)),
  message: z.string(),
  pointer: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});
const Nothing = z.object({}).transform((): Record<string, never> => ({}));
const SandboxId = z.string();
/** Width or height of a terminal: what the kernel's winsize can hold. */
const Cells = z.int().positive().max(65_535);

const SCHEMAS: { readonly [Op in Operation]: z.ZodType<Operations[Op]['params']> } = {
  hello: z.object({ version: z.int() }),
  prepare: z.object({
    request: RunRequestParams,
    lease: Lease,
    engine: Text,
    dryRun: z.boolean(),
    secrets: SecretValuesParams.optional(),
  }),
  created: z.object({
    sandboxId: SandboxId,
    containerId: Text,
    imageId: Text,
    imageDigest: Text.optional(),
    terminal: z.object({ columns: Cells, rows: Cells }).optional(),
  }),
  abandoned: z.object({ sandboxId: SandboxId, error: ErrorParams }),
  reattach: z.object({ sandboxId: SandboxId, lease: Lease }),
  sensed: z.object({ sandboxId: SandboxId, lines: z.array(SensorLineParams) }),
  stop: z.object({ sandbox: Text, grace: z.number().nonnegative().optional(), remove: z.boolean().optional() }),
  start: z.object({
    sandbox: Text,
    restart: z.boolean(),
    grace: z.number().nonnegative().optional(),
    secrets: SecretValuesParams.optional(),
  }),
  settled: z.object({ name: Text }),
  list: z.object({ all: z.boolean() }),
  networks: z.object({ policyFile: Text.optional(), policyKey: Text.optional() }),
  trial: Nothing,
  status: Nothing,
  sync: Nothing,
  reload: Nothing,
  shutdown: Nothing,
};

/** True for an operation that the socket has. */
export function isOperation(op: unknown): op is Operation {
  return typeof op === 'string' && Object.hasOwn(SCHEMAS, op);
}

/** The parameters of `op`, checked; a sentence that names the first field at fault otherwise. */
export function checkParams<Op extends Operation>(
  op: Op,
  params: unknown,
): { readonly ok: true; readonly params: Operations[Op]['params'] } | { readonly ok: false; readonly problem: string } {
  const result = SCHEMAS[op].safeParse(params);
  if (result.success) return { ok: true, params: result.data };
  const issue = result.error.issues[0];
  return { ok: false, problem: `${issue?.path.join('.') ?? 'params'}: ${issue?.message ?? 'not understood'}` };
}
