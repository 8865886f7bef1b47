import type { Writable } from 'node:stream';

import type { PullProgress } from '../../../engine/engine.ts';
import { printable } from '../../output.ts';

/**
 * Shows a pull on stderr: one line that moves where that is a terminal, a single remark elsewhere. stdout belongs to
 * the workload.
 */
export function pullReporter(
  stderr: Writable & { readonly isTTY?: boolean },
  image: string,
): (step: PullProgress) => void {
  const layers = new Map<string, { readonly current: number; readonly total: number }>();
  let said = false;
  return ({ id, status, current, total }) => {
    if (!said) stderr.write(`Pulling ${printable(image)}\n`);
    said = true;
    if (stderr.isTTY !== true) return;
    if (id !== undefined && total !== undefined && current !== undefined) layers.set(id, { current, total });
    const sum = (pick: 'current' | 'total'): number =>
      [...layers.values()].reduce((all, layer) => all + layer[pick], 0);
    const percent = layers.size === 0 ? '' : ` ${Math.floor((100 * sum('current')) / Math.max(1, sum('total')))} %`;
    // Back to the start of the line, which is erased at the end.
    stderr.write(`\r\u001b[K${printable(status)}${percent}${status.startsWith('Status:') ? '\r\u001b[K' : ''}`);
  };
}
