import { LABEL_PREFIX } from '../../../core/labels.ts';
import { NAMESPACES, type Namespace, type RunRequest } from '../../../core/run-request.ts';
import { badValue } from './usage.ts';

/** `--label KEY[=VALUE]`; names that start like ours are refused. */
export function parseLabel(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  if (name === '') throw badValue('label', 'KEY or KEY=VALUE', text);
  if (name.startsWith(LABEL_PREFIX)) throw badValue('label', `a name that does not start with ${LABEL_PREFIX}`, text);
  return [name, at === -1 ? '' : text.slice(at + 1)];
}

/** `--isolation LIST`: the namespaces that it leaves out, which are those that go without. */
export function parseIsolation(text: string): readonly Namespace[] {
  const listed = text.split(',').map((word) => (word === 'net' ? 'network' : word));
  const unknown = listed.find((word) => !NAMESPACES.some((name) => name === word));
  if (unknown !== undefined && text !== '') throw badValue('isolation', 'a list of pid, ipc, uts, user, net', text);
  return NAMESPACES.filter((name) => !listed.includes(name));
}

/** `--restart`. */
export function parseRestart(text: string): NonNullable<RunRequest['restart']> {
  const [, name = '', retries] = /^(no|always|unless-stopped|on-failure)(?::(\d+))?$/.exec(text) ?? [];
  if (name === 'on-failure') return { name, ...(retries === undefined ? {} : { retries: Number(retries) }) };
  if ((name === 'no' || name === 'always' || name === 'unless-stopped') && retries === undefined) return { name };
  throw badValue('restart', 'no, always, unless-stopped or on-failure[:N]', text);
}
