/**
 * What `ucp-init` and the control plane say to each other on a sandbox's init socket: lines of ASCII.
 *
 *   init → control plane   `ready 1`            once, first line; 1 is the protocol's version
 *   control plane → init   `go MARKER`          run the entrypoint; MARKER is 32 hex digits, or `-` for no end marker
 *                          `exec`               replace init itself by the entrypoint (programs that insist on PID 1)
 *                          `try PATH`           execute an empty file (or nothing), to see whether it is permitted
 *   init → control plane   `tried N`            execve's errno, or 0 for what is not an empty file: it was not tried
 *   control plane → init   `env NAME SIZE`      SIZE bytes follow: the value of a variable of the workload
 *                          `file PATH SIZE`     SIZE bytes follow: a file of mode 0400, which must not exist
 *   init → control plane   `took N`             errno, 0 when it was done
 *   control plane → init   `no REASON`          do not run; init prints the reason on stderr and exits 125
 *   init → control plane   `exit N`             the main process ended with N (128+n for signal n); after the marker
 */
export const INIT_PROTOCOL_VERSION = 1;

/** The bytes that init writes to stdout and stderr (once on a TTY) when the main process is dead. */
export function endMarker(nonce: string): Buffer {
  return Buffer.from(`\0ucp-end:${nonce}\0`, 'latin1');
}

/** The line that lets the workload go. */
export function goLine(nonce: string | undefined): string {
  return `go ${nonce ?? '-'}\n`;
}

/** The line that has init execute the empty file `path`, which has no line breaks. */
export function tryLine(path: string): string {
  return `try ${path}\n`;
}

/** The bytes that give the workload a secret. */
export function secretBytes({ env, file }: { readonly env?: string; readonly file?: string }, value: Buffer): Buffer {
  const head = env === undefined ? `file ${file ?? ''} ${value.length}\n` : `env ${env} ${value.length}\n`;
  return Buffer.concat([Buffer.from(head), value]);
}

/** The line that keeps it from starting; line breaks in `reason` become spaces. */
export function refusalLine(reason: string): string {
  return `no ${reason.replaceAll(/[\r\n]+/g, ' ')}\n`;
}
