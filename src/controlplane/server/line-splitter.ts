import { UcpError } from '../../core/errors.ts';

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines without their newline. Returns a function that takes each chunk. A line beyond `max`
 * bytes is never kept: with `onTooLong` it is skipped and counted there, without it CONTROLPLANE_PROTOCOL is thrown.
 */
export function lineSplitter(
  max: number,
  onLine: (line: string) => void,
  onTooLong: () => void = refuse(max),
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  const hold = (part: Buffer): void => {
    const fitted = size <= max;
    size += part.length;
    if (size <= max) parts.push(part);
    else if (fitted) {
      parts = [];
      onTooLong();
    }
  };
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, at));
      const line = size <= max ? Buffer.concat(parts).toString('utf8') : undefined;
      parts = [];
      size = 0;
      start = at + 1;
      if (line !== undefined) onLine(line);
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  };
}

function refuse(max: number): () => void {
  return () => {
    throw new UcpError('CONTROLPLANE_PROTOCOL', `A line of more than ${max} bytes came, which is the longest allowed.`);
  };
}
