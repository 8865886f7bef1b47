import { z } from 'zod';

import { Exec } from './exec.ts';
import { Network } from './network.ts';
import { Options } from './options.ts';
import { section } from './section.ts';
import { A2a, AppSensor, Gateway, Llm, Observer } from './sensors.ts';

const Instant = z.iso.datetime({ offset: true, error: 'expected a time such as "2026-01-31T12:00:00Z" (RFC 3339)' });

/** The canonical policy document. Nothing is filled in: absent stays absent (see inherit.ts). */
export const Policy = section({
  $schema: z.string().describe('Where editors find the JSON Schema; UCP does not read it.').optional(),
  policy_id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'expected 1 to 128 letters, digits and ". _ : / -"')
    .describe('Names the policy in events and labels; the same over all its versions.'),
  version: z
    .int()
    .nonnegative()
    .describe('Grows with every change: a version below the highest one ever activated is rejected.'),
  issued_at: Instant.describe('When the policy was written.').optional(),
  expires_at: Instant.describe(
    'When the policy becomes stale: it stays enforced and `policy_stale` is reported.',
  ).optional(),
  js_sensor: AppSensor.describe('JavaScript and TypeScript programs.').optional(),
  python_sensor: AppSensor.describe('Python programs.').optional(),
  gateway: Gateway.describe("MCP at the sandbox's boundary, for servers in any language.").optional(),
  langchain: Observer.describe('LangChain applications; observing only.').optional(),
  crewai: Observer.describe('CrewAI workflows; observing only.').optional(),
  a2a: A2a.describe('Agent-to-agent protocol.').optional(),
  llm: Llm.describe('Calls of language models.').optional(),
  exec: Exec.describe('Programs that may be executed in a sandbox.').optional(),
  options: Options.describe('What a command line may ask of the sandbox.').optional(),
  network: Network.describe('Network configurations, by the name that `--network-config` takes.').optional(),
}).meta({ title: 'UCP policy' });
export type Policy = z.infer<typeof Policy>;
