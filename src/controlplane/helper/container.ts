import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, rmSync, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

import type { ContainerCreateOptions } from 'dockerode';

import { LABEL } from '../../core/labels.ts';
import { CONTAINER_RUN, helperPlaces, type HelperPlaces } from './places.ts';
import type { HelperContext, HelperLauncher, HelperProcess, HelperSpec } from './spec.ts';

/** Lines of its log that a message repeats. */
const WORDS = 5;

/** Helpers as containers: the engine gives them the rights that this process has not. */
export function containerLauncher(spec: HelperSpec, context: HelperContext): HelperLauncher {
  const { engine, owner } = context;
  const places = helperPlaces(context.stateDir, spec.program);
  return {
    find: async () => {
      if (!existsSync(places.identity)) return undefined;
      const all = await engine.list([`${LABEL.owner}=${owner}`, `${LABEL.helper}=${spec.program}`]);
      const [running, ...rest] = all.filter(({ state }) => state === 'running');
      const ended = all.filter(({ state }) => state !== 'running');
      for (const { id } of [...rest, ...ended]) await engine.remove(id);
      return running === undefined ? undefined : containerProcess(running.id, places, context);
    },
    start: async () => {
      const image = await helperImage(context);
      // From now on there may be one to look for.
      writeFileSync(places.identity, '', { mode: 0o600 });
      const { rootDir } = await engine.facts();
      const id = await engine.create(helperContainer(spec, { image, owner, places, rootDir }));
      await engine.start(id);
      return containerProcess(id, places, context);
    },
  };
}

/** The image of this installation's helpers, by its content; made where the engine has it not. */
export async function helperImage({ engine, helperImage: path }: HelperContext): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const reference = `ucp-helper:${hash.digest('hex').slice(0, 16)}`;
  if ((await engine.image(reference)) === undefined) await engine.importImage(path, reference);
  return reference;
}

/** Without what is mounted below, which belongs to running containers and must not be held here. Docker asks for `rslave`. */
const NOT_BELOW = { Propagation: 'rslave' as const, NonRecursive: true };

interface Parts {
  readonly image: string;
  readonly owner: string;
  readonly places: HelperPlaces;
  /** Where the engine keeps the layers of containers. */
  readonly rootDir: string;
}

/** The container of a helper: the host's processes, the named rights, its socket, and nothing else. Pure but its name. */
function helperContainer(
  { program, capabilities, layers = false }: HelperSpec,
  { image, owner, places, rootDir }: Parts,
): ContainerCreateOptions {
  return {
    name: `${program}-${randomBytes(4).toString('hex')}`,
    Image: image,
    Entrypoint: [`/${program}`],
    Cmd: ['--connect', places.socketInside],
    Labels: { [LABEL.owner]: owner, [LABEL.helper]: program },
    HostConfig: {
      PidMode: 'host',
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      CapAdd: [...capabilities],
      // Docker's own profiles keep it from looking at other containers' processes, which is what it is for.
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined', 'no-new-privileges'],
      ReadonlyRootfs: true,
      Mounts: [
        { Type: 'bind', Source: places.run, Target: CONTAINER_RUN, ReadOnly: true },
        ...(layers
          ? [{ Type: 'bind' as const, Source: rootDir, Target: rootDir, ReadOnly: true, BindOptions: NOT_BELOW }]
          : []),
      ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}

function containerProcess(id: string, { identity }: HelperPlaces, { engine }: HelperContext): HelperProcess {
  return {
    alive: async () => (await engine.inspect(id))?.state === 'running',
    lastWords: async () => {
      const log = await engine.logs(id, { follow: false, tail: WORDS, timestamps: false });
      // The engine's 8-byte frame heads are not text.
      return (await text(log)).replaceAll(/[^\n\u0020-\u007e]/g, '').trim();
    },
    stop: async () => {
      await engine.remove(id);
      rmSync(identity, { force: true });
    },
  };
}
