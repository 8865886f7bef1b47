import { UcpError } from '../../../core/errors.ts';
import type { SandboxStatus } from '../../../core/protocol.ts';
import { createEngine, type DockerEngine } from '../../../engine/docker-engine.ts';
import { connectControlPlane, socketsOf } from '../../../sandbox/client/connect.ts';
import type { ControlClient } from '../../../sandbox/client/control-client.ts';
import { orReadOnly } from '../../../sandbox/client/or-read-only.ts';
import type { Output } from '../../output.ts';
import type { CliHost } from '../host.ts';

/** What a verb works with. */
export interface Session {
  readonly host: CliHost;
  readonly output: Output;
  readonly engine: DockerEngine;
  readonly client: ControlClient;
}

/** Connects to control plane and engine; a verb that only `reads` may be served by the socket that all may read. */
export async function openSession(host: CliHost, output: Output, reads: boolean): Promise<Session> {
  const connect = (): Promise<ControlClient> => connectControlPlane(host);
  const client = await (reads ? orReadOnly(connect, socketsOf(host)) : connect());
  return { host, output, engine: createEngine(host.env, host.home), client };
}

/** A sandbox that has a container. */
export type FoundSandbox = SandboxStatus & { readonly containerId: string };

/** The sandbox that a name, sandbox id or beginning of a container id means. Throws CONTAINER_NOT_FOUND. */
export async function findSandbox({ client }: Session, wanted: string): Promise<FoundSandbox> {
  const { sandboxes } = await client.call('list', { all: true });
  const found = matching(sandboxes, wanted);
  if (found?.containerId !== undefined) return { ...found, containerId: found.containerId };
  throw new UcpError(
    'CONTAINER_NOT_FOUND',
    `There is no sandbox ${JSON.stringify(wanted)}: \`ucp-sandbox ps --all\` lists them.`,
  );
}

/** Names and sandbox ids before beginnings of container ids, which must be at least four digits and belong to one. */
export function matching(sandboxes: readonly SandboxStatus[], wanted: string): SandboxStatus | undefined {
  const exact = sandboxes.find(({ name, sandboxId }) => name === wanted || sandboxId === wanted);
  if (exact !== undefined || wanted.length < 4) return exact;
  const byContainer = sandboxes.filter(({ containerId }) => containerId?.startsWith(wanted));
  return byContainer.length === 1 ? byContainer[0] : undefined;
}
