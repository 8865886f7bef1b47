import type { Duplex } from 'node:stream';

import type { Container, ContainerCreateOptions } from 'dockerode';

import { UcpError } from '../core/errors.ts';
import { Connection, endpointOfHost, isConflict, isNotFound } from './connection.ts';
import { containerFacts, listedFacts } from './containers.ts';
import type {
  Attachment,
  ContainerFacts,
  ContainerNetwork,
  Engine,
  EngineEvent,
  EngineFacts,
  EngineVersion,
  ExecOptions,
  ExecSession,
  ImageFacts,
  LogOptions,
  PullProgress,
} from './engine.ts';
import { engineError } from './engine-error.ts';
import { startExec } from './exec.ts';
import { assertApiVersion, engineFacts, engineVersion } from './facts.ts';
import { hijack } from './hijack.ts';
import {
  listContainers,
  type ListedContainer,
  type ListedImage,
  listImages,
  removeEnded,
  removeImage,
} from './inventory.ts';
import { importImage } from './import-image.ts';
import { inspectImage, pullImage } from './images.ts';
import { addLayer, type LayerSpec } from './layer.ts';
import { containerNetwork } from './network.ts';
import { rejoinNetworks } from './rejoin.ts';
import { watchEvents } from './watch.ts';

/** The engine that `env` and the docker configuration below `home` choose. Connects at the first call. */
export function createEngine(env: Readonly<Record<string, string | undefined>>, home: string): DockerEngine {
  return new DockerEngine(new Connection(endpointOfHost(env, home)));
}

/** The Docker engine over dockerode; see {@link Engine} for the contract of each method. */
export class DockerEngine implements Engine {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get endpoint(): string {
    return this.#connection.endpoint.text;
  }

  async check(): Promise<EngineVersion> {
    const version = await this.#connection.do({ doing: 'say its version' }, (docker) => docker.version());
    assertApiVersion(version.ApiVersion, version.Version, this.endpoint);
    return engineVersion(version);
  }

  async facts(): Promise<EngineFacts> {
    const [version, info] = await Promise.all([
      this.#connection.do({ doing: 'say its version' }, (docker) => docker.version()),
      this.#connection.do({ doing: 'describe itself' }, (docker) => docker.info()),
    ]);
    assertApiVersion(version.ApiVersion, version.Version, this.endpoint);
    return engineFacts(version, info);
  }

  /** The parts of the engine and their versions, by lower-case name: `runc`, `containerd` … */
  async components(): Promise<Readonly<Record<string, string>>> {
    const { Components } = await this.#connection.do({ doing: 'say its version' }, (docker) => docker.version());
    return Object.fromEntries(Components.map(({ Name, Version }) => [Name.toLowerCase(), Version]));
  }

  async image(reference: string): Promise<ImageFacts | undefined> {
    return inspectImage(this.#connection, reference);
  }

  async pull(reference: string, platform: string | undefined, progress: (step: PullProgress) => void): Promise<void> {
    await pullImage(this.#connection, reference, platform, progress);
  }

  async importImage(path: string, reference: string): Promise<void> {
    await importImage(this.#connection, path, reference);
  }

  /** Makes an image of another one and some files. Nothing of either runs. */
  async addLayer(spec: LayerSpec): Promise<string> {
    return addLayer(this.#connection, spec);
  }

  /** All containers of the engine, whoever made them. */
  async everyContainer(): Promise<readonly ListedContainer[]> {
    return listContainers(this.#connection);
  }

  /** Images with this label (`key=value`). */
  async labelledImages(label: string): Promise<readonly ListedImage[]> {
    return listImages(this.#connection, label);
  }

  /** Removes an image by one of its names or its id, unless a container uses it. */
  async removeImage(reference: string): Promise<void> {
    await removeImage(this.#connection, reference);
  }

  /** Removes a container, unless it runs. */
  async removeEnded(container: string): Promise<void> {
    await removeEnded(this.#connection, container);
  }

  async create(spec: ContainerCreateOptions): Promise<string> {
    const { name, platform, ...body } = spec;
    // Told apart for docker-modem, which otherwise repeats the whole body in the URL.
    const options = { name, _query: { name, platform }, _body: body };
    const context = { doing: 'create the container', image: spec.Image ?? '' };
    const container = await this.#connection.do(context, (docker) => docker.createContainer(options));
    return container.id;
  }

  async attach(container: string, streams: { stdin: boolean; tty: boolean }): Promise<Attachment> {
    const query = `stream=1&stdout=1&stderr=1&stdin=${streams.stdin ? 1 : 0}`;
    const stream = await this.#hijack(container, `/containers/${encodeURIComponent(container)}/attach?${query}`);
    return { stream, tty: streams.tty };
  }

  async start(container: string): Promise<void> {
    await this.#on(container, 'start the container', (handle) => handle.start());
  }

  async waitExit(container: string, condition: 'next-exit' | 'not-running' = 'next-exit'): Promise<number> {
    const answer: { StatusCode: number } = await this.#on(container, 'wait for the container', (handle) =>
      handle.wait({ condition }),
    );
    return answer.StatusCode;
  }

  async resize(container: string, size: { columns: number; rows: number }): Promise<void> {
    await this.#on(container, 'resize the terminal', (handle) => handle.resize({ h: size.rows, w: size.columns }));
  }

  async kill(container: string, signal: string): Promise<void> {
    await this.#quietly(container, `send ${signal}`, (handle) => handle.kill({ signal }));
  }

  async stop(container: string, seconds: number): Promise<void> {
    await this.#quietly(container, 'stop the container', (handle) => handle.stop({ t: seconds }));
  }

  async remove(container: string): Promise<void> {
    try {
      await this.#quietly(container, 'remove the container', (handle) => handle.remove({ force: true, v: true }));
    } catch (error) {
      if (!(error instanceof UcpError && error.code === 'CONTAINER_NOT_FOUND')) throw error;
    }
  }

  async inspect(container: string): Promise<ContainerFacts | undefined> {
    try {
      return containerFacts(await this.#on(container, 'inspect the container', (handle) => handle.inspect()));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async network(container: string): Promise<ContainerNetwork | undefined> {
    try {
      return containerNetwork(await this.#on(container, 'inspect the container', (handle) => handle.inspect()));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async rejoinNetworks(container: string, madeWith: string | undefined): Promise<() => Promise<void>> {
    return rejoinNetworks(this.#connection, container, madeWith);
  }

  async inspectRaw(container: string): Promise<unknown> {
    return this.#on(container, 'inspect the container', (handle) => handle.inspect());
  }

  async list(labels: readonly string[]): Promise<readonly ContainerFacts[]> {
    const filters = JSON.stringify({ label: labels });
    const rows = await this.#connection.do({ doing: 'list containers' }, (docker) =>
      docker.listContainers({ all: true, filters }),
    );
    return rows.map(listedFacts);
  }

  async logs(container: string, options: LogOptions): Promise<NodeJS.ReadableStream> {
    const { since, tail, timestamps } = options;
    const common = {
      stdout: true,
      stderr: true,
      timestamps,
      ...(since === undefined ? {} : { since }),
      ...(tail === undefined ? {} : { tail }),
    };
    if (options.follow) {
      return this.#on(container, 'read its logs', (handle) => handle.logs({ ...common, follow: true }));
    }
    const { Readable } = await import('node:stream');
    return Readable.from([await this.#on(container, 'read its logs', (handle) => handle.logs(common))]);
  }

  async exec(container: string, options: ExecOptions): Promise<ExecSession> {
    return startExec(this.#connection, container, options);
  }

  watch(label: string, onEvent: (event: EngineEvent) => void): { stop(): void } {
    return watchEvents(this.#connection, label, onEvent);
  }

  async #on<T>(container: string, doing: string, work: (handle: Container) => Promise<T>): Promise<T> {
    return this.#connection.do({ doing, container }, (docker) => work(docker.getContainer(container)));
  }

  /** Like {@link #on}; the container being in the wanted state already is success. */
  async #quietly(container: string, doing: string, work: (handle: Container) => Promise<unknown>): Promise<void> {
    try {
      await this.#on(container, doing, work);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }

  async #hijack(container: string, path: string): Promise<Duplex> {
    try {
      return await hijack(this.#connection.endpoint, path);
    } catch (thrown) {
      throw engineError(thrown, { endpoint: this.endpoint, doing: 'attach to the container', container });
    }
  }
}
