import type { MountRequest } from '../../../core/run-request.ts';
import { parseTarget } from './mount-target.ts';
import { badValue } from './usage.ts';

/** Options of a tmpfs that limit it; nothing else is passed to mount(2). */
export const TMPFS_OPTION =
  /^(?:size=\d+[kmg%]?|mode=[0-7]{3,4}|uid=\d+|gid=\d+|nr_inodes=\d+[kmg]?|r[ow]|(?:no)?exec|nosuid|nodev)$/i;

/** `--tmpfs DST[:OPTIONS]`. */
export function parseTmpfs(text: string): MountRequest {
  const [target = '', options = '', ...more] = text.split(':');
  const list = options.split(',').filter((option) => option !== '');
  const bad = list.find((option) => !TMPFS_OPTION.test(option));
  if (more.length > 0 || bad !== undefined) {
    throw badValue('tmpfs', '/TARGET[:size=…,mode=…,uid=…,gid=…,nr_inodes=…,ro,noexec]', bad ?? text);
  }
  const rest = list.filter((option) => !/^r[ow]$/i.test(option));
  return {
    type: 'tmpfs',
    source: '',
    target: parseTarget('tmpfs', target, text),
    readOnly: list.some((option) => option.toLowerCase() === 'ro'),
    ...(rest.length === 0 ? {} : { options: rest.join(',') }),
  };
}
