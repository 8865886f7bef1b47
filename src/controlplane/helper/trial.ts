import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { toErrorRecord, toUcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { LABEL } from '../../core/labels.ts';
import type { HelperTrial } from '../../core/protocol.ts';
import { helperImage } from './container.ts';
import { Helper } from './helper.ts';
import type { HelperLink } from './link.ts';
import { hasCapabilities } from './mode.ts';
import type { HelperContext, HelperSpec } from './spec.ts';

/** One helper in one mode. */
export type Tried = HelperTrial;

const MODES = ['child', 'container'] as const;
const RULES = ['table inet ucp {', 'chain trial {', 'type filter hook output priority 0', '}', '}', ''].join('\n');
/** What each is asked to do to the namespace and the files of a container, and what that shows. */
const TASKS: Readonly<Record<HelperSpec['program'], { readonly params: JsonObject; readonly works: string }>> = {
  'ucp-net': {
    params: { generation: 1, rules: RULES },
    works: 'nft rules were put in force in a network namespace',
  },
  'ucp-kernel': {
    params: { generation: 1, mode: 'enforce', drift: 'allow', deny: ['/nothing'], allow: null },
    works: 'exec rules were put in force on the file systems of a container',
  },
};

/**
 * Starts each helper in each mode, beside those that serve, and has it put rules in force around a container of its own.
 * Modes for which this process has no rights are not tried. Never rejects.
 */
export async function tryHelpers(specs: readonly HelperSpec[], context: HelperContext): Promise<readonly Tried[]> {
  const dir = join(context.stateDir, `t${randomBytes(2).toString('hex')}`);
  const owner = `${context.owner}-trial`;
  try {
    // Of a trial in the midst of which a control plane was killed.
    for (const { id } of await context.engine.list([`${LABEL.owner}=${owner}`])) await context.engine.remove(id);
    mkdirSync(dir, { mode: 0o700 });
    const ways = specs.flatMap((spec) => MODES.map((mode) => ({ spec, mode })));
    return await Promise.all(
      ways.map(async ({ spec, mode }): Promise<Tried> => {
        const way = { program: spec.program, mode, used: context.mode(spec) === mode };
        if (mode === 'child' && !hasCapabilities(spec)) return way;
        return { ...way, ...(await tryOne(spec, { ...context, owner, stateDir: join(dir, mode), mode: () => mode })) };
      }),
    );
  } catch (thrown) {
    const error = toErrorRecord(toUcpError(thrown));
    return specs.map(({ program }) => ({ program, mode: 'container', used: true, error }));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tryOne(spec: HelperSpec, context: HelperContext): Promise<Pick<Tried, 'works' | 'error'>> {
  const helper = new Helper(spec, context);
  let subject: string | undefined;
  try {
    const link = await helper.link();
    subject = await startSubject(context);
    await work(spec, context, link, subject);
    return { works: TASKS[spec.program].works };
  } catch (thrown) {
    return { error: toErrorRecord(toUcpError(thrown)) };
  } finally {
    if (subject !== undefined) await context.engine.remove(subject).catch(() => undefined);
    await helper.stop().catch(() => undefined);
  }
}

/** A container without rights and network, which waits. */
async function startSubject(context: HelperContext): Promise<string> {
  const { engine, owner } = context;
  const id = await engine.create({
    name: `ucp-trial-${randomBytes(4).toString('hex')}`,
    Image: await helperImage(context),
    // Reads rules that never come.
    Entrypoint: ['/lib/ld.so'],
    Cmd: ['--library-path', '/lib', '/usr/sbin/nft', '-f', '-'],
    OpenStdin: true,
    Labels: { [LABEL.owner]: owner },
    HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  });
  try {
    await engine.start(id);
  } catch (thrown) {
    await engine.remove(id);
    throw thrown;
  }
  return id;
}

async function work(
  { program }: HelperSpec,
  { engine }: HelperContext,
  link: HelperLink,
  subject: string,
): Promise<void> {
  const facts = await engine.inspect(subject);
  const sandbox = 'trial';
  await link.request('attach', { sandbox, pid: facts?.pid ?? 0, ...TASKS[program].params });
  await link.request('detach', { sandbox });
}
