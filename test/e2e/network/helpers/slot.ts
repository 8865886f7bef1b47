import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** As many internets as fit into the documentation networks side by side. */
const SLOTS = 16;

/** A part of the documentation networks (RFC 5737, RFC 3849) that is this process's alone. */
export class Slot {
  readonly index: number;
  readonly #lock: Server;

  private constructor(index: number, lock: Server) {
    this.index = index;
    this.#lock = lock;
  }

  /** Takes a free one. The kernel gives it back when the process ends, however it ends. */
  static async take(): Promise<Slot> {
    for (let index = 0; index < SLOTS; index += 1) {
      const lock = createServer().unref();
      // An abstract socket: one listener, no file.
      const taken = once(lock, 'listening').then(
        () => true,
        () => false,
      );
      lock.listen(`\0ucp-test-internet-${index}`);
      if (await taken) return new Slot(index, lock);
    }
    throw new Error(`all ${SLOTS} test internets are in use`);
  }

  free(): void {
    this.#lock.close();
  }
}
