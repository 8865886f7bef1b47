import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import type { Policy } from '../../../../src/policy/index.ts';
import { TestHost } from '../../helpers/host.ts';

const PROGRAM = join(resolve(import.meta.dirname, '../../../..'), 'bin/ucp-sandbox.js');

/** A host whose runs are under signed policies with these gateway sections. */
export class GatewayHost extends TestHost {
  #files = 0;

  /** Makes the key that {@link flags} signs with. */
  async ready(): Promise<void> {
    await this.policy(['keygen', '--out', this.path('key')]);
  }

  /** Flags of `run` for a new policy. */
  async flags(gateway: Policy['gateway']): Promise<readonly string[]> {
    const path = this.path(`policy-${this.#files + 1}.json`);
    await this.publish(path, gateway);
    return ['--policy', path, '--policy-key', this.path('key.pub')];
  }

  /** Writes and signs the next version of a policy. */
  async publish(path: string, gateway: Policy['gateway']): Promise<void> {
    this.#files += 1;
    writeFileSync(path, JSON.stringify({ policy_id: 'e2e', version: this.#files, gateway }));
    await this.policy(['sign', path, '--key', this.path('key')]);
  }

  /** The official client, connected to a server in a sandbox; `stderr` grows with what the run says there. */
  async connect(...args: readonly string[]): Promise<{ readonly client: Client; readonly stderr: () => string }> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'run', '--mcp', 'stdio', ...args],
      env: { ...this.env },
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const client = new Client({ name: 'e2e', version: '1.0.0' }, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'none',
      role: 'assistant',
      content: { type: 'text', text: 'sampled' },
    }));
    await client.connect(transport);
    return { client, stderr: () => said };
  }

  /** Events of the local log that the gateway made. */
  async gatewayEvents(): Promise<readonly LoggedEvent[]> {
    const { stdout } = await this.ucpd(['logs', '--json']);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LoggedEvent);
    return events.filter(({ scope }) => scope === 'gateway');
  }
}

export interface LoggedEvent {
  readonly name: string;
  readonly scope: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly violation?: { readonly rule: string; readonly action: string };
}
