import type { Readable, Writable } from 'node:stream';

/**
 * Forwards our stdin to the container at the container's pace; at its end the container's stdin is closed and its
 * output goes on. Returns a function that stops forwarding.
 */
export function forwardInput(from: Readable, to: Writable, onEnd: () => void): () => void {
  const onData = (chunk: Buffer): void => {
    if (!to.writable || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  const onClose = (): void => {
    stop();
    to.end();
    onEnd();
  };
  const stop = (): void => {
    from.off('data', onData);
    from.off('end', onClose);
    from.off('error', onClose);
    from.pause();
  };
  from.on('data', onData);
  from.once('end', onClose);
  // A terminal that goes away is an error (EIO) instead of an end.
  from.once('error', onClose);
  return stop;
}
