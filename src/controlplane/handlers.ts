import { UcpError } from '../core/errors.ts';
import { asJson, type JsonObject } from '../core/json.ts';
import { type HelperTrial, type NetworkListing, PROTOCOL_VERSION } from '../core/protocol.ts';
import { VERSION } from '../core/version.ts';
import type { LoadOutcome } from './loader/loader.ts';
import { prepare, type PrepareContext } from './prepare/prepare.ts';
import type { SandboxContext } from './sandboxes/context.ts';
import type { Sandboxes } from './sandboxes/sandboxes.ts';
import type { Handlers } from './server/connection.ts';

/** What the socket's operations work on. */
export interface HandlerContext {
  readonly sandboxes: Sandboxes;
  readonly sandboxContext: SandboxContext;
  readonly prepareContext: PrepareContext;
  /** Resolves when sandboxes of an earlier control plane are taken back. */
  readonly adopted: Promise<void>;
  readonly leaving: () => boolean;
  trial(): Promise<readonly HelperTrial[]>;
  status(): JsonObject;
  sync(): Promise<LoadOutcome>;
  /** Reads the configuration again and checks by it. */
  reload(): Promise<LoadOutcome>;
  leave(): void;
}

/** The operations of the socket. */
export function handlers(context: HandlerContext): Handlers {
  const { sandboxes, sandboxContext, prepareContext, adopted } = context;
  const { registry } = sandboxContext;
  const checked = (outcome: LoadOutcome): JsonObject => {
    const { policy } = context.status();
    const error: JsonObject =
      'error' in outcome ? { error: { code: outcome.error.code, message: outcome.error.message } } : {};
    return { outcome: outcome.outcome, ...error, policy: policy ?? null };
  };
  return {
    hello: () => ({ version: PROTOCOL_VERSION, program: `ucpd ${VERSION}`, pid: process.pid }),
    prepare: async ({ request, lease, engine, dryRun, secrets }, peer) => {
      assertSameEngine(engine, sandboxContext.engine.endpoint);
      if (context.leaving())
        throw new UcpError('CONTROLPLANE_LEAVING', 'The control plane is shutting down: run again.');
      await adopted;
      const prepared = await prepare(request, lease, prepareContext, { report: !dryRun });
      if (dryRun) return { plan: prepared.plan };
      const release = await registry.reserve(prepared.record.name);
      try {
        if (!peer.open) throw new UcpError('LEASE_LOST', 'The front end went away while its run was prepared.');
        if (secrets !== undefined) sandboxContext.vault.put(prepared.record.sandboxId, secrets);
        await sandboxes.open(prepared.record, prepared.policy, peer, prepared.plan.endMarker);
      } finally {
        release();
      }
      return { plan: prepared.plan };
    },
    created: ({ sandboxId, ...container }) => {
      sandboxes.created(sandboxId, container);
      return null;
    },
    abandoned: async ({ sandboxId, error }) => {
      await sandboxes.abandoned(sandboxId, error);
      return null;
    },
    reattach: async ({ sandboxId, lease }, peer) => {
      await adopted;
      sandboxes.reattach(sandboxId, lease, peer);
      return null;
    },
    sensed: ({ sandboxId, lines }, peer) => {
      sandboxes.sensed(sandboxId, lines, peer);
      return null;
    },
    stop: async ({ sandbox, grace, remove }) => {
      await adopted;
      return sandboxes.stop(sandbox, {
        ...(grace === undefined ? {} : { grace }),
        ...(remove === undefined ? {} : { remove }),
      });
    },
    start: async ({ sandbox, restart, grace, secrets }) => {
      await adopted;
      if (secrets !== undefined) sandboxContext.vault.put(registry.find(sandbox).id, secrets);
      await sandboxes.start(sandbox, { restart, ...(grace === undefined ? {} : { grace }) });
      return null;
    },
    settled: async ({ name }) => {
      await adopted;
      await registry.settled(name);
      return null;
    },
    list: async ({ all }) => {
      await adopted;
      return { sandboxes: sandboxes.list(all) };
    },
    networks: async (asked) => {
      const { policy } = await prepareContext.policyFor(asked);
      const own = policy.network ?? {};
      const configs = Object.entries(prepareContext.networks(policy)).map(([name, config]): NetworkListing => ({
        name,
        source: Object.hasOwn(own, name) ? 'policy' : 'preset',
        config: asJson(config),
      }));
      return { policy: policy.policy_id, configs };
    },
    trial: async () => ({ helpers: await context.trial() }),
    status: () => context.status(),
    sync: async () => checked(await context.sync()),
    reload: async () => checked(await context.reload()),
    shutdown: () => {
      context.leave();
      return null;
    },
  };
}

/** A sandbox on another engine could be neither watched nor removed from here. Throws ENGINE_MISMATCH. */
function assertSameEngine(asked: string, own: string): void {
  if (asked === own) return;
  throw new UcpError(
    'ENGINE_MISMATCH',
    `This command uses the engine ${asked}, its control plane ${own}: set DOCKER_HOST or the docker context to that one, or end the control plane with \`ucpd stop\` and run again.`,
  );
}
