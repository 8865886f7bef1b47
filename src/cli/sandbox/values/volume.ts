import { resolve } from 'node:path';

import type { MountRequest } from '../../../core/run-request.ts';
import { parseTarget, VOLUME_NAME } from './mount-target.ts';
import { badValue } from './usage.ts';

/** `-v SRC:DST[:ro|rw]`; read-only unless rw is written. SRC is a path, or the name of a volume of the engine. */
export function parseVolume(text: string): MountRequest {
  const expected = 'SOURCE:/TARGET[:ro|rw]';
  const [source = '', target = '', mode = 'ro', ...more] = text.split(':');
  if (more.length > 0 || source === '' || !['ro', 'rw'].includes(mode)) throw badValue('volume', expected, text);
  const mount = { target: parseTarget('volume', target, text), readOnly: mode === 'ro' };
  if (/^(?:\.{0,2}\/|\.{1,2}$)/.test(source)) return { type: 'bind', source: resolve(source), ...mount };
  if (VOLUME_NAME.test(source)) return { type: 'volume', source, ...mount };
  throw badValue(
    'volume',
    `${expected}, SOURCE being a path (write ./NAME for one that is here) or a volume's name`,
    text,
  );
}
