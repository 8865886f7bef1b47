import { z } from 'zod';

import { AppMcp, GatewayMcp } from './mcp.ts';
import { Patterns } from './patterns.ts';
import { onError, section, switches } from './section.ts';

const Runtime = section({
  enable: switches.enable,
  exec: z.boolean().describe('Reports child processes.').optional(),
  network: z.boolean().describe('Reports outbound connections.').optional(),
  fs: z.boolean().describe('Reports files opened for writing.').optional(),
});
export type Runtime = z.infer<typeof Runtime>;

const MCP = 'Rules for MCP sessions, tools, resources and prompts.';
const RUNTIME = 'Events about what the program does besides MCP; observing only.';

/** The sensor inside JavaScript programs, and the one inside Python programs. */
export const AppSensor = section(
  { ...switches, mcp: AppMcp.describe(MCP).optional(), runtime: Runtime.describe(RUNTIME).optional() },
  'AppSensor',
);
export type AppSensor = z.infer<typeof AppSensor>;

/** The sensor at the sandbox's boundary. */
export const Gateway = section({
  ...switches,
  mcp: GatewayMcp.describe(
    'Rules for MCP messages that cross the boundary, whatever the server is written in.',
  ).optional(),
});
export type Gateway = z.infer<typeof Gateway>;

/** A sensor that observes and can enforce nothing. */
export const Observer = section(
  {
    enable: switches.enable,
    remediate: z
      .literal(false, 'expected false: this sensor only observes')
      .describe('Only `false`: this sensor observes.')
      .optional(),
    capture_content: z
      .boolean()
      .describe('Events carry inputs and outputs too, redacted by `llm.redact`. Absent: false.')
      .optional(),
  },
  'Observer',
);
export type Observer = z.infer<typeof Observer>;

/** Agent-to-agent protocol: what agent cards may say. */
export const A2a = section({
  ...switches,
  on_error: onError,
  agent_card: section({
    name: Patterns.describe("Texts that must not be in an agent card's name.").optional(),
    description: Patterns.describe("Texts that must not be in an agent card's description.").optional(),
    skills: section({
      description: Patterns.describe("Texts that must not be in a skill's description.").optional(),
    })
      .describe("Rules for the card's skills.")
      .optional(),
  })
    .describe('Rules for agent cards.')
    .optional(),
});
export type A2a = z.infer<typeof A2a>;

/** Calls of language models through their vendors' SDKs. */
export const Llm = section({
  ...switches,
  on_error: onError,
  providers: z
    .array(z.enum(['openai', 'anthropic']))
    .describe('SDKs that are watched. Absent: all.')
    .optional(),
  capture_content: z
    .boolean()
    .describe('Events carry prompts and responses, not only their sizes. Absent: true.')
    .optional(),
  redact: Patterns.describe(
    'What is replaced in captured prompts and responses before an event leaves the process, in both modes.',
  ).optional(),
});
export type Llm = z.infer<typeof Llm>;
