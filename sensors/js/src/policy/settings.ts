import type { JsonObject } from '../../../../src/core/json.ts';
import { inherit, type Switches } from '../../../../src/policy/schema/inherit.ts';

/** What the sensor observes besides MCP. */
export interface Settings {
  /** Whether anything is told that has a cause: only then are requests followed through the program. */
  readonly attributed: boolean;
  readonly runtime: {
    readonly exec: boolean;
    readonly network: boolean;
    readonly fs: boolean;
    /** `vm`, `Function` and native addons. */
    readonly code: boolean;
  };
  readonly llm: { readonly enabled: boolean; readonly providers: readonly string[]; readonly content: boolean };
}

export const NOTHING: Settings = {
  attributed: false,
  runtime: { exec: false, network: false, fs: false, code: false },
  llm: { enabled: false, providers: [], content: false },
};

/** The two sections as src/policy/schema has them. */
interface Sections {
  readonly js_sensor?: Switches & {
    readonly runtime?: Switches & { readonly exec?: boolean; readonly network?: boolean; readonly fs?: boolean };
  };
  readonly llm?: Switches & { readonly providers?: readonly string[]; readonly capture_content?: boolean };
}

/** Reads the sections of a policy document; an absent switch has the default that the policy reference names. */
export function settingsOf(policy: JsonObject): Settings {
  const { js_sensor: sensor, llm } = policy as Sections;
  const runtime = sensor?.runtime;
  const on = inherit([sensor, runtime]).enabled;
  const calls = inherit([llm]).enabled;
  return {
    attributed: on || calls,
    runtime: {
      exec: on && runtime?.exec !== false,
      network: on && runtime?.network !== false,
      fs: on && runtime?.fs === true,
      code: on,
    },
    llm: {
      enabled: calls,
      providers: llm?.providers ?? ['openai', 'anthropic'],
      content: llm?.capture_content !== false,
    },
  };
}
