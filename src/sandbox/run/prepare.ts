import { setTimeout as delay } from 'node:timers/promises';

import { toErrorRecord, toUcpError, UcpError } from '../../core/errors.ts';
import type { Plan } from '../../core/plan.ts';
import type { RunRequest } from '../../core/run-request.ts';
import type { Engine, ImageFacts, PullProgress } from '../../engine/engine.ts';
import type { ControlClient } from '../client/control-client.ts';
import { leaseHolder } from '../client/lease.ts';
import { type MountSource, resolveSources } from '../mounts/sources.ts';
import { type Secrets, travelling } from '../secrets/read-secrets.ts';
import { type CompiledSpec, compileSpec } from '../spec/compile-spec.ts';
import type { Timings } from './timings.ts';

/** What a run works with; made by the command line, faked by tests. */
export interface RunDeps {
  readonly engine: Engine;
  connect(): Promise<ControlClient>;
  /** A line for the user, on stderr. */
  say(line: string): void;
  pullProgress(step: PullProgress): void;
  readonly timings: Timings;
}

/** When the image is fetched from its registry. */
export type PullPolicy = 'missing' | 'always' | 'never';

/** A run that is decided and compiled; nothing of it exists on the engine yet. */
export interface PreparedRun {
  readonly client: ControlClient;
  readonly request: RunRequest;
  readonly plan: Plan;
  readonly image: ImageFacts;
  readonly sources: readonly MountSource[];
  readonly compiled: CompiledSpec;
  /** Values of its secrets: for the control plane, and to be kept out of what the user sees. */
  readonly secrets?: Secrets;
}

/**
 * Decides and compiles a run: the control plane plans while the engine is asked for its version and the image, which
 * is then pulled if need be. With `dryRun` the control plane creates nothing either.
 */
export async function prepareRun(
  deps: RunDeps,
  asked: RunRequest,
  options: { readonly pull: PullPolicy; readonly dryRun: boolean; readonly secrets?: Secrets },
): Promise<PreparedRun> {
  const { mounts, sources } = await resolveSources(asked.mounts);
  const request = { ...asked, mounts };
  let client: ControlClient | undefined;
  const planned = (async () => {
    client = await deps.connect();
    deps.timings.mark('control plane connected');
    const { endpoint } = deps.engine;
    const { dryRun } = options;
    const given = options.secrets === undefined ? {} : { secrets: travelling(options.secrets) };
    const { plan } = await client.call('prepare', {
      request,
      lease: leaseHolder(),
      engine: endpoint,
      dryRun,
      ...given,
    });
    deps.timings.mark('plan decided');
    return { client, plan };
  })();
  const inspected = options.pull === 'always' ? undefined : deps.engine.image(request.image);
  const answers = Promise.allSettled([planned, inspected]);
  // Without an engine there is nothing to wait for: the lost lease ends whatever the control plane has begun.
  const engine = await deps.engine.check().catch((thrown: unknown) => {
    client?.close();
    throw thrown;
  });
  const [decision, known] = await answers;
  try {
    const { plan, client: connected } = valueOf(decision);
    const image = valueOf(known) ?? (await fetchImage(deps, request, options.pull));
    deps.timings.mark('image known');
    const compiled = compileSpec(plan, request, image, engine);
    const secrets = options.secrets === undefined ? {} : { secrets: options.secrets };
    return { client: connected, request, plan, image, sources, compiled, ...secrets };
  } catch (thrown) {
    const plan = decision.status === 'fulfilled' && !options.dryRun ? decision.value.plan : undefined;
    await abandon(client, plan, toUcpError(thrown));
    throw thrown;
  }
}

/** Longest wait for the control plane to clear away what was begun, ms; it goes on without us. */
const CLEAR_MS = 10_000;

/** Tells the control plane that nothing will come of a plan, and leaves. Never throws. */
export async function abandon(
  client: ControlClient | undefined,
  plan: Plan | undefined,
  error: UcpError,
): Promise<void> {
  if (client === undefined) return;
  if (plan !== undefined) {
    const told = client.call('abandoned', { sandboxId: plan.sandboxId, error: toErrorRecord(error) });
    await Promise.race([told, delay(CLEAR_MS, undefined, { ref: false })]).catch(() => undefined);
  }
  client.close();
}

async function fetchImage(deps: RunDeps, request: RunRequest, pull: PullPolicy): Promise<ImageFacts> {
  if (pull === 'never') {
    throw new UcpError(
      'IMAGE_NOT_FOUND',
      `The image ${request.image} is not on this engine and --pull=never forbids fetching it: build or pull it first.`,
    );
  }
  await deps.engine.pull(request.image, request.platform, (step) => deps.pullProgress(step));
  deps.timings.mark('image pulled');
  const image = await deps.engine.image(request.image);
  if (image !== undefined) return image;
  throw new UcpError('IMAGE_NOT_FOUND', `The image ${request.image} is not on the engine although it was just pulled.`);
}

function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
