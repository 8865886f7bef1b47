import type { PolicyRef } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SensorPolicyFile } from '../../core/sensor-protocol.ts';
import { compileA2a } from '../decide/a2a.ts';
import type { Engine } from '../decide/engine.ts';
import { hostEngine } from '../decide/host-engine.ts';
import { compileMcp } from '../decide/mcp.ts';
import { MCP_SENSORS } from '../decide/mcp-rules.ts';
import { compilePatterns } from '../decide/patterns.ts';
import { globListSource } from '../glob/source.ts';
import type { RegexProgram } from '../regex/program.ts';
import type { BuiltinSet } from '../schema/patterns.ts';
import type { Policy } from '../schema/policy.ts';
import type { SensorPrograms } from './programs.ts';

/** The sections that app sensors read. */
const SECTIONS = ['js_sensor', 'python_sensor', 'gateway', 'langchain', 'crewai', 'a2a', 'llm'] as const;

/**
 * The file that app sensors read: the sections that concern them, and every regular expression, builtin set and glob
 * that these name, compiled. What is needed is found by preparing the rules once and noting what they ask for, so a
 * sensor that prepares the same rules never misses one. Throws what the compilers throw.
 */
export function compileSensorPolicy(policy: Policy, ref: PolicyRef): SensorPolicyFile {
  const { engine, programs } = noting(hostEngine);
  for (const sensor of MCP_SENSORS) compileMcp(policy, sensor, engine);
  compileA2a(policy, engine);
  compilePatterns(policy.llm?.redact, '/llm/redact', engine);
  const sections = SECTIONS.filter((name) => policy[name] !== undefined).map((name) => [name, policy[name]]);
  return {
    format: 1,
    generation: ref.generation,
    policy_id: ref.policy_id,
    version: ref.version,
    digest: ref.digest,
    policy: asJson(Object.fromEntries(sections)),
    programs: asJson(programs()),
  };
}

/** An engine that notes what is asked of `engine`. */
function noting(engine: Engine): { readonly engine: Engine; readonly programs: () => SensorPrograms } {
  const regex: Record<string, RegexProgram> = {};
  const builtin: Partial<Record<BuiltinSet, SensorPrograms['builtin'][BuiltinSet]>> = {};
  const globs: Record<string, string> = {};
  return {
    engine: {
      regex: (source) => (regex[source] ??= engine.regex(source)),
      builtin: (set) => (builtin[set] ??= engine.builtin(set)),
      globs: (entries) => {
        for (const glob of entries) globs[glob] ??= globListSource([glob]);
        return engine.globs(entries);
      },
    },
    programs: () => ({ regex, builtin, globs }),
  };
}

/** The same value as plain JSON: keys that are undefined are gone, as they will be in the file. */
function asJson(value: unknown): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(value));
  return copy;
}
