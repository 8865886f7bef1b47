import type { Local } from '../local.ts';
import { chosenClients, chosenFile, chosenServers, type Choice, launchOf } from './choice.ts';

/** One line of an answer: what became of one server in one file. */
interface Outcome {
  readonly client: string;
  readonly file: string;
  readonly server: string;
  readonly outcome: 'added' | 'unchanged' | 'removed' | 'absent';
}

/** `client setup`: puts servers into clients' files. */
export function setup({ host, output }: Local, names: readonly string[], choice: Choice & { force: boolean }): void {
  const servers = chosenServers(host, choice);
  const done = chosenClients(host, names).flatMap((client) => {
    const file = chosenFile(host, client, choice);
    return servers.map((server): Outcome => {
      const entry = client.entry(launchOf(host, server, choice));
      const changed = file.set(server, entry, { replace: choice.force });
      return { client: client.id, file: file.path, server, outcome: changed ? 'added' : 'unchanged' };
    });
  });
  output.answer(done, () => done.map(line).join('\n'));
}

/** `client remove`: takes them out again; files come back as they were. */
export function remove({ host, output }: Local, names: readonly string[], choice: Choice): void {
  const done = chosenClients(host, names).flatMap((client) => {
    const file = chosenFile(host, client, choice);
    const servers = choice.server.length > 0 ? choice.server : Object.keys(file.entries() ?? {});
    return servers.map((server): Outcome => {
      const outcome = file.unset(server) ? 'removed' : 'absent';
      return { client: client.id, file: file.path, server, outcome };
    });
  });
  const told = choice.server.length > 0 ? done : done.filter(({ outcome }) => outcome === 'removed');
  output.answer(told, () => (told.length === 0 ? 'Nothing of ucp-sandbox is there.' : told.map(line).join('\n')));
}

/** `client print`: what to paste where a file is to be edited by hand. */
export function print({ host, output }: Local, names: readonly string[], choice: Choice): void {
  const servers = chosenServers(host, choice);
  const texts = chosenClients(host, names).map((client) => {
    const { editor } = client;
    let text = '';
    for (const server of servers) text = editor.set(text, server, client.entry(launchOf(host, server, choice)));
    return { client: client.id, file: chosenFile(host, client, choice).path, text };
  });
  for (const { client, file } of texts) output.note(`${client}: ${file}`);
  output.answer(texts, () => texts.map(({ text }) => text.trimEnd()).join('\n'));
}

function line({ client, file, server, outcome }: Outcome): string {
  return `${client}: ${server} ${outcome} (${file})`;
}
