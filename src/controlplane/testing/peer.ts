import type { Notification } from '../../core/protocol.ts';
import type { Peer } from '../server/connection.ts';

/** A client's connection that a test closes. */
export class FakePeer implements Peer {
  readonly heard: Notification[] = [];
  open = true;
  #closing: (() => void)[] = [];

  notify(notification: Notification): void {
    this.heard.push(notification);
  }

  onClose(fn: () => void): void {
    this.#closing.push(fn);
  }

  close(): void {
    this.open = false;
    for (const fn of this.#closing) fn();
  }
}
