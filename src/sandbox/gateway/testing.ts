import { PassThrough } from 'node:stream';

import type { JsonObject } from '../../core/json.ts';
import type { SensorLine, SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { compileSensorPolicy } from '../../policy/sensor-file/compile.ts';
import type { Policy } from '../../policy/schema/policy.ts';
import { StdioGateway } from './stdio-gateway.ts';

/** A policy's file, as the control plane sends it. */
export function fileOf(mcp: NonNullable<Policy['gateway']>['mcp'], remediate = true, generation = 1): SensorPolicyFile {
  const ref = { policy_id: 'p', version: generation, digest: 'sha256:0', generation };
  return compileSensorPolicy({ policy_id: 'p', version: generation, gateway: { remediate, mcp } }, ref);
}

/** A gateway between a client and a server that are both the test. */
export class GatewayScene {
  readonly client = new PassThrough();
  readonly stderr = new PassThrough();
  readonly server = new PassThrough();
  readonly lines: SensorLine[] = [];
  readonly gateway: StdioGateway;
  readonly #input: NodeJS.WritableStream;

  constructor() {
    const report = async (lines: readonly SensorLine[]): Promise<void> => void this.lines.push(...lines);
    this.gateway = new StdioGateway({ stdout: this.client, stderr: this.stderr }, report);
    this.#input = this.gateway.input(this.server);
  }

  /** What the server and the client then have, when the client says this. */
  clientSays(bytes: Buffer | string): Promise<Heard> {
    return this.#say(this.#input, bytes);
  }

  serverSays(bytes: Buffer | string): Promise<Heard> {
    return this.#say(this.gateway.stdout, bytes);
  }

  async events(): Promise<readonly SensorLine[]> {
    await this.gateway.finish();
    return this.lines;
  }

  async #say(to: NodeJS.WritableStream, bytes: Buffer | string): Promise<Heard> {
    await new Promise<void>((resolve) => {
      to.write(Buffer.from(bytes), () => resolve());
    });
    return { server: text(this.server), client: text(this.client), stderr: text(this.stderr) };
  }
}

interface Heard {
  readonly server: string;
  readonly client: string;
  readonly stderr: string;
}

function text(stream: PassThrough): string {
  return String(stream.read() ?? '');
}

/** One message as a line. */
export function line(message: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

/** A gateway under this policy. */
export async function sceneUnder(mcp: Parameters<typeof fileOf>[0] = DENY, remediate = true): Promise<GatewayScene> {
  const made = new GatewayScene();
  await made.gateway.update(fileOf(mcp, remediate));
  return made;
}

/** Denies the tool `danger` and the resource `mem://secret` of any server. */
export const DENY = {
  server: { tools: { '*': { deny_list: ['danger'] } }, resources: { '*': { deny_list: ['mem://secret'] } } },
};

/** The call of a tool as a line. */
export const call = (id: number | string, name: string): string => line({ id, method: 'tools/call', params: { name } });
