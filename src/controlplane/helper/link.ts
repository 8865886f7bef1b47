import type { Socket } from 'node:net';

import { ERRORS, type ErrorCode } from '../../core/error-codes/index.ts';
import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { frame, frameReader } from './frames.ts';
import type { HelperProgram } from './spec.ts';

const PROTOCOL = 1;
/** The key under which each program expects the operation. */
const OPERATION = {
  'ucp-kernel': 'type',
  'ucp-hold': 'type',
  'ucp-net': 'op',
  'ucp-trace': 'type',
} as const satisfies Record<HelperProgram, string>;

/** One running helper with its connection. */
export interface HelperLink {
  /** What the helper answered to `hello`. */
  readonly greeting: JsonObject;
  /** Resolves with the answer. Rejects with a UcpError of the answer's code, or HELPER_GONE. */
  request(op: string, params: JsonObject): Promise<JsonObject>;
  readonly open: boolean;
  /** Resolves when the connection is lost. */
  readonly closed: Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: UcpError) => void;
}

/** The control plane's end of a helper's connection. */
export class FramedLink implements HelperLink {
  readonly closed: Promise<void>;
  greeting: JsonObject = {};
  readonly #socket: Socket;
  readonly #program: HelperProgram;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  constructor(socket: Socket, program: HelperProgram, onEvent: (event: JsonObject) => void) {
    this.#socket = socket;
    this.#program = program;
    const take = (message: JsonObject): void => {
      if (Object.hasOwn(message, 'id')) this.#answer(message);
      else onEvent(message);
    };
    socket.on('error', () => undefined);
    socket.on(
      'data',
      frameReader(take, () => socket.destroy()),
    );
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const { reject } of this.#waiting.values()) reject(this.#gone());
        this.#waiting.clear();
        resolve();
      });
    });
  }

  get open(): boolean {
    return !this.#socket.destroyed;
  }

  /** Agrees on the protocol. Rejects with KERNEL_PROTOCOL_UNKNOWN or HELPER_GONE. */
  async greet(): Promise<void> {
    this.greeting = await this.request('hello', { protocol: PROTOCOL });
  }

  async request(op: string, params: JsonObject): Promise<JsonObject> {
    if (!this.open) throw this.#gone();
    const id = this.#next++;
    const bytes = frame({ id, [OPERATION[this.#program]]: op, ...params });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #answer(message: JsonObject): void {
    const { id, ok, ...rest } = message;
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    // An answer to nobody: bytes that we sent were no request, so the two don't understand each other.
    if (waiting === undefined || typeof id !== 'number') return void this.#socket.destroy();
    this.#waiting.delete(id);
    if (ok === true) waiting.resolve(rest);
    else waiting.reject(refusal(this.#program, rest));
  }

  #gone(): UcpError {
    return new UcpError('HELPER_GONE', `The helper ${this.#program} ended before it answered.`);
  }
}

function refusal(program: string, { code, message, pointer }: JsonObject): UcpError {
  const known = typeof code === 'string' && isErrorCode(code);
  const said = typeof message === 'string' ? message : JSON.stringify(message ?? null);
  const words = `The helper ${program} refused: ${said}${known ? '' : ` (${JSON.stringify(code ?? null)})`}`;
  const at = typeof pointer === 'string' && pointer !== '' ? { pointer } : {};
  return new UcpError(known ? code : 'HELPER_REFUSED', words, at);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
