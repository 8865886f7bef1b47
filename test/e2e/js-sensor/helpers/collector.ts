import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { SensorLine } from '../../../../src/core/sensor-protocol.ts';

/** A control plane's sensor socket that keeps what arrives. */
export class Collector implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'ucp-js-'));
  readonly socket = join(this.directory, 's');
  readonly lines: SensorLine[] = [];
  #server: net.Server | undefined;
  readonly #connections = new Set<net.Socket>();
  readonly #unread = new Set<net.Socket>();
  #waiting: (() => void)[] = [];

  /** Listens; `paused` accepts connections and reads nothing. */
  static async listening(options: { readonly paused?: boolean } = {}): Promise<Collector> {
    const collector = new Collector();
    await collector.listen(options);
    return collector;
  }

  async listen({ paused = false }: { readonly paused?: boolean } = {}): Promise<void> {
    const server = net.createServer((connection) => {
      this.#connections.add(connection);
      connection.on('error', () => {});
      connection.on('close', () => {
        this.#connections.delete(connection);
        this.#wake();
      });
      if (paused) {
        connection.pause();
        this.#unread.add(connection);
      } else this.#read(connection);
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(this.socket, resolve);
    });
  }

  /** Goes away as a killed control plane does. */
  async close(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    const server = this.#server;
    if (server === undefined) return;
    await new Promise((resolve) => {
      server.close(resolve);
    });
    this.#server = undefined;
  }

  /** Reads what a paused collector has not. */
  resume(): void {
    for (const connection of this.#unread) {
      this.#read(connection);
      connection.resume();
    }
    this.#unread.clear();
  }

  /** Says something to every sensor. */
  hint(): void {
    for (const connection of this.#connections) connection.write('\n');
  }

  named(name: string): SensorLine[] {
    return this.lines.filter((line) => line.name === name);
  }

  /** Resolves when `done` holds of what has arrived. */
  async until(done: (lines: readonly SensorLine[]) => boolean): Promise<void> {
    while (!done(this.lines)) await this.#change();
  }

  /** Resolves when every program that wrote here has ended: all they wrote has arrived. */
  async drained(): Promise<void> {
    while (this.#connections.size > 0) await this.#change();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  #read(connection: net.Socket): void {
    let rest = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) this.lines.push(JSON.parse(part) as SensorLine);
      this.#wake();
    });
  }

  async #change(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
