import { writeFileSync } from 'node:fs';

import { type OtlpReceiver, startOtlpReceiver } from '../../fakes/otlp-receiver.ts';
import { type Outcome, TestHost } from './host.ts';

/** A host whose runs are under one signed policy, and the receiver of its events. */
export class SensorHost extends TestHost {
  readonly receiver: OtlpReceiver;

  private constructor(receiver: OtlpReceiver) {
    super({ config: `event_url: ${receiver.url}\n` });
    this.receiver = receiver;
  }

  /** `sections` are those of the policy. */
  static async open(sections: object): Promise<SensorHost> {
    const host = new SensorHost(await startOtlpReceiver());
    await host.policy(['keygen', '--out', host.path('key')]);
    writeFileSync(host.path('policy.json'), JSON.stringify({ policy_id: 'sensors', version: 1, ...sections }));
    await host.policy(['sign', host.path('policy.json'), '--key', host.path('key')]);
    return host;
  }

  /** Flags of `run` for the policy. */
  get flags(): readonly string[] {
    return ['run', '--policy', this.path('policy.json'), '--policy-key', this.path('key.pub')];
  }

  /** `ucp-sandbox run` under the policy. */
  run(...args: readonly string[]): Promise<Outcome> {
    return this.sandbox([...this.flags, ...args]);
  }

  /** Attributes and severity of the violations of one tool, in the order of their arrival. */
  violations(tool: string): readonly (readonly [unknown, string])[] {
    return this.receiver
      .records()
      .filter(({ eventName, attributes }) => eventName === 'mcp_violation' && attributes['gen_ai.tool.name'] === tool)
      .map(({ attributes, severityText }) => [attributes['mcp.method.name'], severityText]);
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.receiver.close();
  }
}
