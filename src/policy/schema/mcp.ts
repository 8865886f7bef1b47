import { z } from 'zod';

import { Patterns } from './patterns.ts';
import { onError, section, switches } from './section.ts';
import { Glob, Name } from './text.ts';

/** What holds for the tools, resources or prompts of one server; `entry` is what its lists are made of. */
const rulesOf = (id: string, entry: z.ZodType<string>, how: string) =>
  section(
    {
      deny_list: z
        .array(entry)
        .describe(`${how} Refused and left out of list results. Wins over \`allow_list\`.`)
        .optional(),
      allow_list: z
        .array(entry)
        .describe(`${how} Only these are allowed; empty: none. Absent: all that are not denied.`)
        .optional(),
      arguments: Patterns.describe('Texts that must not be in the arguments.').optional(),
      responses: Patterns.describe('Texts that must not be in the result.').optional(),
    },
    id,
  );

const NAMES = 'Names, compared in Unicode form NFKC without white space around them; `*` stands for any text.';
const URIS = 'Globs over URIs; a lone `*` stands for every URI.';

/** Rules by name: tools and prompts. */
export const Rules = rulesOf('Rules', Name, NAMES);
export type Rules = z.infer<typeof Rules>;
/** Rules by URI: resources. */
const ResourceRules = rulesOf('ResourceRules', Glob, URIS);

const perServer = (what: string, rules: typeof Rules) =>
  z
    .record(Name, rules)
    .describe(`Rules for ${what}, by server name; \`*\` holds for servers that have no rules of their own.`)
    .optional();

const side = {
  ...switches,
  tools: perServer('tools', Rules),
  resources: perServer('resources', ResourceRules),
  prompts: perServer('prompts', Rules),
};

/** One side of MCP: what an application does as client, or as server. */
const Side = section(side, 'Side');

/** The same with what can be decided only where every message is seen. */
const FullSide = section(
  {
    ...side,
    methods: perServer(
      'requests and notifications by method, both ways (`sampling/createMessage`, `elicitation/create`, `roots/list`, `completion/complete`, `notifications/*` …); the arguments are the parameters. What a session cannot do without always passes: `initialize`, `server/discover`, `ping`, `notifications/initialized`, `notifications/cancelled`',
      Rules,
    ),
    pin_tools: z
      .boolean()
      .describe(
        'Refuses a tool whose definition is not what was listed first in the session, and leaves it out of lists. Absent: it is only told.',
      )
      .optional(),
  },
  'FullSide',
);
export type FullSide = z.infer<typeof FullSide>;

/** Which servers may be reached over HTTP and SSE. */
export const HttpServers = section({
  deny_http: z.boolean().describe('Refuses connections to servers over Streamable HTTP.').optional(),
  deny_sse: z.boolean().describe('Refuses connections to servers over HTTP with SSE.').optional(),
  exception_list: z
    .array(Glob)
    .describe('Globs over URLs that are allowed in spite of the two switches above.')
    .optional(),
  force_authentication: z.boolean().describe('Refuses HTTP and SSE requests that carry no credentials.').optional(),
});
export type HttpServers = z.infer<typeof HttpServers>;

/** Which servers may be started as processes. */
export const StdioServers = section({
  deny_stdio: z.boolean().describe('Refuses to start servers that speak over stdin and stdout.').optional(),
  exception_list: z
    .array(
      section({
        command: Glob.describe('Glob over the program, as the client names it.'),
        args: z
          .array(z.string())
          .describe(
            'The exact arguments; `*` stands for any one, a last `**` for any that follow. Absent: any arguments.',
          )
          .optional(),
      }),
    )
    .describe('Command and argument combinations that are allowed in spite of `deny_stdio`.')
    .optional(),
});
export type StdioServers = z.infer<typeof StdioServers>;

const mcp = {
  ...switches,
  on_error: onError,
  http_servers: HttpServers.describe('Servers reached over HTTP.').optional(),
  stdio_servers: StdioServers.describe('Servers started as processes.').optional(),
};
const CLIENT = 'What the application does as an MCP client.';
const SERVER = 'What the application offers as an MCP server.';

/** MCP rules of a sensor inside a program. */
export const AppMcp = section(
  { ...mcp, client: FullSide.describe(CLIENT).optional(), server: FullSide.describe(SERVER).optional() },
  'AppMcp',
);
export type AppMcp = z.infer<typeof AppMcp>;

/** MCP rules of the gateway: it stands before a server, and what it does not see of a client has no rules on methods. */
export const GatewayMcp = section(
  { ...mcp, client: Side.describe(CLIENT).optional(), server: FullSide.describe(SERVER).optional() },
  'GatewayMcp',
);
