import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { docker } from '../../helpers/docker.ts';
import type { TestHost } from '../../helpers/host.ts';

/** A place where a secret may not be, and what is there. */
type Place = readonly [name: string, text: string];

/** Names of the places that have `word` in them, of all that a host with a running container shows. */
export async function leaks(host: TestHost, container: string, word: string): Promise<readonly string[]> {
  const forms = [word, Buffer.from(word).toString('base64').replace(/=+$/, '')];
  return (await places(host, container))
    .filter(([, text]) => forms.some((form) => text.includes(form)))
    .map(([name]) => name);
}

const said = async (name: string, ...args: readonly string[]): Promise<Place> => {
  const { stdout, stderr } = await docker(...args);
  return [name, stdout + stderr];
};

async function places(host: TestHost, container: string): Promise<readonly Place[]> {
  const own = async (program: 'ucpd' | 'sandbox', ...args: readonly string[]): Promise<Place> => {
    const { stdout, stderr } = await host[program](args);
    return [`${program} ${args.join(' ')}`, stdout + stderr];
  };
  return [
    await said('inspect', 'inspect', container),
    await said('logs', 'logs', container),
    await said('ps', 'ps', '-a', '--no-trunc', '--format', '{{json .}}'),
    await own('ucpd', 'logs', '--json'),
    await own('ucpd', 'status', '--json'),
    await own('sandbox', 'ps', '-a', '--json'),
    await own('sandbox', 'mcp', 'ls', '--json'),
    ...processes(),
    ...files(host.path('s')),
    ...files(host.path('.config/ucp/servers')),
  ];
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** What every process of this machine was started with; its variables only where it is the control plane or a helper. */
function processes(): readonly Place[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid): readonly Place[] => {
      const command = read(`/proc/${pid}/cmdline`);
      const ours = /ucpd\.js|ucp-kernel|ucp-net|\.ucp\/init/.test(command);
      return [['argv', command], ...(ours ? [['environ', read(`/proc/${pid}/environ`)] as const] : [])];
    });
}

/** Every file below a directory. */
function files(dir: string): readonly Place[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.isFile() === true)
      .map((name): Place => [
        `file ${name.replaceAll(/[0-9a-f]{12}/g, 'ID')}`,
        readFileSync(join(dir, name), 'latin1'),
      ]);
  } catch {
    return [];
  }
}
