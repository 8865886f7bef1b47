import type { Command } from 'commander';

/** At least one line that works for each command of the three programs, by its words. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'ucp-sandbox run': [
    'ucp-sandbox run my-image',
    'ucp-sandbox run --network-config=web -v ./notes:/notes my-image ls /notes',
    'ucp-sandbox run -d --name web --restart always -p 8080 my-image',
    'ucp-sandbox run --policy policy.json --policy-key key.pub --dry-run my-image',
  ],
  'ucp-sandbox ps': ['ucp-sandbox ps --all', 'ucp-sandbox ps --json'],
  'ucp-sandbox logs': ['ucp-sandbox logs -f web', 'ucp-sandbox logs --since 10m --tail 100 web'],
  'ucp-sandbox stop': ['ucp-sandbox stop web', 'ucp-sandbox stop --time 2 web db'],
  'ucp-sandbox rm': ['ucp-sandbox rm web', 'ucp-sandbox rm --force web db'],
  'ucp-sandbox start': ['ucp-sandbox start web'],
  'ucp-sandbox restart': ['ucp-sandbox restart web', 'ucp-sandbox restart --all'],
  'ucp-sandbox ports': ['ucp-sandbox ports web'],
  'ucp-sandbox inspect': ['ucp-sandbox inspect web'],
  'ucp-sandbox prune': ['ucp-sandbox prune --dry-run', 'ucp-sandbox prune --force'],
  'ucp-sandbox exec': ['ucp-sandbox exec web ls /tmp', 'ucp-sandbox exec -it web sh'],
  'ucp-sandbox network ls': ['ucp-sandbox network ls'],
  'ucp-sandbox network show': ['ucp-sandbox network show web'],
  'ucp-sandbox network check': ['ucp-sandbox network check web api.example.com:443'],
  'ucp-sandbox mcp add': [
    'ucp-sandbox mcp add files -v ./notes:/notes my-server-image /notes',
    'ucp-sandbox mcp add files -v ./notes:/data npx:@modelcontextprotocol/server-filesystem /data',
    'ucp-sandbox mcp add --policy policy.json --policy-key key.pub web my-server-image',
  ],
  'ucp-sandbox mcp run': ['ucp-sandbox mcp run files'],
  'ucp-sandbox mcp ls': ['ucp-sandbox mcp ls'],
  'ucp-sandbox mcp show': ['ucp-sandbox mcp show files'],
  'ucp-sandbox mcp rm': ['ucp-sandbox mcp rm files'],
  'ucp-sandbox mcp update': ['ucp-sandbox mcp update files', 'ucp-sandbox mcp update --yes files'],
  'ucp-sandbox mcp stop': ['ucp-sandbox mcp stop files'],
  'ucp-sandbox mcp ps': ['ucp-sandbox mcp ps files'],
  'ucp-sandbox mcp logs': ['ucp-sandbox mcp logs -f files'],
  'ucp-sandbox client setup': [
    'ucp-sandbox client setup claude-code --server files',
    'ucp-sandbox client setup cursor --all --project',
  ],
  'ucp-sandbox client remove': ['ucp-sandbox client remove claude-code --server files'],
  'ucp-sandbox client print': ['ucp-sandbox client print codex --server files'],
  'ucp-sandbox client import': ['ucp-sandbox client import cursor'],
  'ucp-sandbox client status': ['ucp-sandbox client status'],
  'ucp-sandbox completion': [
    'source <(ucp-sandbox completion bash)',
    'ucp-sandbox completion fish > ~/.config/fish/completions/ucp-sandbox.fish',
  ],
  'ucp-sandbox doctor': ['ucp-sandbox doctor', 'ucp-sandbox doctor --json'],
  'ucpd run': ['ucpd run --config s3://eu-central-1@my-bucket/config.yaml'],
  'ucpd status': ['ucpd status', 'ucpd status --json'],
  'ucpd logs': ['ucpd logs -f', 'ucpd logs --since 1h --json'],
  'ucpd sync': ['ucpd sync'],
  'ucpd reload': ['ucpd reload'],
  'ucpd restart': ['ucpd restart'],
  'ucpd stop': ['ucpd stop'],
  'ucpd check-config': ['ucpd check-config /etc/ucp/config.yaml'],
  'ucp-policy init': ['ucp-policy init --template mcp-server'],
  'ucp-policy validate': ['ucp-policy validate policy.json'],
  'ucp-policy normalize': ['ucp-policy normalize other-layout.json'],
  'ucp-policy explain': ['ucp-policy explain policy.json'],
  'ucp-policy check': ['ucp-policy check --policy policy.json tool files/delete_file'],
  'ucp-policy test': ['ucp-policy test cases.yaml'],
  'ucp-policy diff': ['ucp-policy diff old.json new.json'],
  'ucp-policy keygen': ['ucp-policy keygen --out key'],
  'ucp-policy sign': ['ucp-policy sign policy.json --key key'],
  'ucp-policy verify': ['ucp-policy verify policy.json --key key.pub'],
  'ucp-policy publish': ['ucp-policy publish policy.json s3://eu-central-1@my-bucket/ --key key.pub'],
  'ucp-policy schema': ['ucp-policy schema > policy.schema.json'],
};

/** The words that call a command: `ucp-sandbox mcp add`. */
export function wordsOf(command: Command): string {
  return command.parent === null ? command.name() : `${wordsOf(command.parent)} ${command.name()}`;
}

/** Every command that does something, depth first; hidden ones and groups are none. */
export function leaves(command: Command): readonly Command[] {
  const { commands } = command;
  if (commands.length === 0) return [command];
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .flatMap(leaves);
}

/** Gives the help of every command below `root` its examples. */
export function withExamples(root: Command): Command {
  for (const command of leaves(root)) {
    const lines = EXAMPLES[wordsOf(command)] ?? [];
    command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  $ ${line}`)].join('\n'));
  }
  return root;
}
