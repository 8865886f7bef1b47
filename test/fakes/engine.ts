import { UcpError } from '../../src/core/errors.ts';
import type { ContainerFacts, Engine, EngineEvent } from '../../src/engine/engine.ts';

/** An engine in memory, as far as the control plane uses one: containers, their ends, and what was asked of them. */
export class FakeEngine implements Engine {
  readonly endpoint = 'unix:///fake.sock';
  readonly containers = new Map<string, ContainerFacts>();
  /** `verb container`, in order. */
  readonly asked: string[] = [];
  /** Set to make every call fail. */
  broken: UcpError | undefined;
  /** Set to make starts fail. */
  startError: UcpError | undefined;
  /** Set to make networks miss. */
  networkError: UcpError | undefined;
  /** What a start brings about. */
  onStart: () => void = () => undefined;
  #listeners = new Set<(event: EngineEvent) => void>();

  /** Puts a container there; a running one unless `facts` say otherwise. */
  add(id: string, labels: Readonly<Record<string, string>>, facts: Partial<ContainerFacts> = {}): void {
    const usual = { name: id, image: 'image', state: 'running', pid: 1, exitCode: 0 } as const;
    this.containers.set(id, { ...usual, id, labels, ...facts });
  }

  /** Ends a container by itself. */
  die(id: string, exitCode: number): void {
    const container = this.containers.get(id);
    if (container === undefined) return;
    this.containers.set(id, { ...container, state: 'exited', pid: 0, exitCode });
    this.#say({ action: 'die', containerId: id, labels: container.labels, exitCode });
  }

  list(labels: readonly string[]): Promise<readonly ContainerFacts[]> {
    const wanted = labels.map((label) => label.split('='));
    const has = ({ labels: own }: ContainerFacts): boolean =>
      wanted.every(([key = '', value]) => (value === undefined ? Object.hasOwn(own, key) : own[key] === value));
    return this.#do('list', '', () => [...this.containers.values()].filter(has));
  }

  inspect(container: string): Promise<ContainerFacts | undefined> {
    return this.#do('inspect', container, () => this.containers.get(container));
  }

  kill(container: string, signal: string): Promise<void> {
    return this.#do(`kill ${signal}`, container, () => undefined);
  }

  stop(container: string, seconds: number): Promise<void> {
    return this.#do(`stop ${seconds}`, container, () => this.die(container, 143));
  }

  start(container: string): Promise<void> {
    return this.#do('start', container, () => {
      if (this.startError !== undefined) throw this.startError;
      const found = this.containers.get(container);
      if (found !== undefined) this.containers.set(container, { ...found, state: 'running', pid: 1 });
      this.onStart();
    });
  }

  rejoinNetworks(container: string): Promise<() => Promise<void>> {
    return this.#do('networks', container, () => {
      if (this.networkError !== undefined) throw this.networkError;
      return () => this.#do('rejoin', container, () => undefined);
    });
  }

  resize(container: string, { columns, rows }: { columns: number; rows: number }): Promise<void> {
    return this.#do(`resize ${columns}x${rows}`, container, () => undefined);
  }

  remove(container: string): Promise<void> {
    return this.#do('remove', container, () => {
      const found = this.containers.get(container);
      if (found === undefined) return;
      if (found.state === 'running') this.die(container, 137);
      this.containers.delete(container);
      this.#say({ action: 'destroy', containerId: container, labels: found.labels });
    });
  }

  watch(_label: string, onEvent: (event: EngineEvent) => void): { stop(): void } {
    this.#listeners.add(onEvent);
    return { stop: () => void this.#listeners.delete(onEvent) };
  }

  check = absent;
  facts = absent;
  image = absent;
  pull = absent;
  importImage = absent;
  create = absent;
  attach = absent;
  waitExit = absent;
  inspectRaw = absent;
  network = absent;
  logs = absent;
  exec = absent;

  #say(event: EngineEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #do<T>(verb: string, container: string, act: () => T): Promise<T> {
    this.asked.push(`${verb} ${container}`.trim());
    if (this.broken !== undefined) throw this.broken;
    return act();
  }
}

/** What the control plane never asks for. */
function absent(): Promise<never> {
  return Promise.reject(new UcpError('INTERNAL', 'The fake engine has no such method.'));
}
