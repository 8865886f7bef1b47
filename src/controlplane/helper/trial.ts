import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { toErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { LABEL } from '../../core/labels.ts';
import type { HelperTrial } from '../../core/protocol.ts';
import { isHandles } from '../exec/holding.ts';
import { helperImage } from './container.ts';
import { Helper } from './helper.ts';
import type { HelperLink } from './link.ts';
import { hasCapabilities } from './mode.ts';
import type { HelperContext, HelperProgram, HelperSpec } from './spec.ts';

/** One helper in one mode. */
export type Tried = HelperTrial;

const MODES = ['child', 'container'] as const;
const SANDBOX = 'trial';
const RULES = ['table inet ucp {', 'chain trial {', 'type filter hook output priority 0', '}', '}', ''].join('\n');
const EXEC_RULES = { generation: 1, mode: 'enforce', drift: 'allow', deny: ['/nothing'], allow: null } as const;

/** What a helper is asked to do to a container whose first process is known, and what that shows. */
interface Task {
  readonly works: string;
  /** What it is attached with; absent: it is attached to nothing itself. */
  readonly params?: JsonObject;
}

const TASKS: Readonly<Record<HelperProgram, Task>> = {
  'ucp-net': {
    params: { generation: 1, rules: RULES },
    works: 'nft rules were put in force in a network namespace',
  },
  'ucp-kernel': { params: EXEC_RULES, works: 'exec rules were put in force on the file systems of a container' },
  'ucp-hold': { works: 'what execs of a container wait at was taken from ucp-kernel' },
  'ucp-trace': { params: {}, works: 'the processes of a container were observed' },
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
      ways.map(async ({ spec, mode }, index): Promise<Tried> => {
        const way = { program: spec.program, mode, used: context.mode(spec) === mode };
        if (mode === 'child' && !hasCapabilities(spec)) return way;
        const stateDir = join(dir, `${index}`);
        return { ...way, ...(await tryOne(spec, specs, { ...context, owner, stateDir, mode: () => mode })) };
      }),
    );
  } catch (thrown) {
    const error = toErrorRecord(toUcpError(thrown));
    return specs.map(({ program }) => ({ program, mode: 'container', used: true, error }));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function tryOne(
  spec: HelperSpec,
  specs: readonly HelperSpec[],
  context: HelperContext,
): Promise<Pick<Tried, 'works' | 'error'>> {
  const decider = specs.find(({ program }) => program === 'ucp-kernel');
  const helper = new Helper(spec, context);
  // A holder takes from a decider of its own.
  const giver = spec.program === 'ucp-hold' && decider !== undefined ? new Helper(decider, context) : undefined;
  let subject: string | undefined;
  try {
    const link = await helper.link();
    subject = await startSubject(context);
    const facts = await context.engine.inspect(subject);
    const pid = facts?.pid ?? 0;
    await (giver === undefined ? attach(link, pid, TASKS[spec.program]) : hold(link, await giver.link(), pid));
    return { works: TASKS[spec.program].works };
  } catch (thrown) {
    return { error: toErrorRecord(toUcpError(thrown)) };
  } finally {
    if (subject !== undefined) await context.engine.remove(subject).catch(() => undefined);
    await Promise.allSettled([helper.stop(), giver?.stop()]);
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

async function attach(link: HelperLink, pid: number, { params }: Task): Promise<void> {
  await link.request('attach', { sandbox: SANDBOX, pid, ...params });
  await link.request('detach', { sandbox: SANDBOX });
}

async function hold(holder: HelperLink, decider: HelperLink, pid: number): Promise<void> {
  const { held } = await decider.request('attach', { sandbox: SANDBOX, pid, ...EXEC_RULES });
  if (!isHandles(held))
    throw new UcpError('HELPER_REFUSED', 'expected ucp-kernel to say what can be held of a sandbox');
  await holder.request('hold', { sandbox: SANDBOX, ...held });
  await holder.request('release', { sandbox: SANDBOX });
  await decider.request('detach', { sandbox: SANDBOX });
}
