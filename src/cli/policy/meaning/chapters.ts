import type { A2a, AppSensor, Gateway, Llm, Policy, Runtime, Switches } from '../../../policy/index.ts';
import { type Chapter, type Fact, isOn, modeFact } from './fact.ts';
import { mcpFacts } from './mcp-facts.ts';
import { patternFacts } from './pattern-facts.ts';
import { execFacts, networkFacts, optionsFacts } from './sandbox-facts.ts';

/** Everything that a policy says, sensor by sensor. */
export function chapters(policy: Policy): Chapter[] {
  const { js_sensor, python_sensor, gateway, langchain, crewai, a2a, llm, exec, options, network } = policy;
  return [
    { title: 'JavaScript sensor', facts: sensorFacts('/js_sensor', js_sensor) },
    { title: 'Python sensor', facts: sensorFacts('/python_sensor', python_sensor) },
    { title: 'Gateway', facts: sensorFacts('/gateway', gateway) },
    { title: 'LangChain', facts: [modeFact('the sensor', '/langchain', [langchain])] },
    { title: 'CrewAI', facts: [modeFact('the sensor', '/crewai', [crewai])] },
    { title: 'Agent-to-agent', facts: [...headFacts('the sensor', '/a2a', a2a), ...a2aFacts(a2a)] },
    { title: 'Language models', facts: [...headFacts('the sensor', '/llm', llm), ...llmFacts(llm)] },
    { title: 'Programs', facts: [...headFacts('the kernel sensor', '/exec', exec), ...execFacts(exec)] },
    {
      title: 'Sandbox options',
      facts: [...headFacts('the check of flags', '/options', options), ...optionsFacts(options)],
    },
    { title: 'Network', facts: networkFacts(network) },
  ];
}

function sensorFacts(pointer: string, sensor: (AppSensor & Gateway) | undefined): Fact[] {
  // Without rules for MCP the sensor decides nothing about it.
  const path = [sensor?.mcp === undefined ? undefined : sensor, sensor?.mcp];
  return [
    modeFact('MCP', `${pointer}/mcp`, path),
    ...onErrorFact(`${pointer}/mcp`, sensor?.mcp),
    ...mcpFacts(`${pointer}/mcp`, [sensor], sensor?.mcp),
    ...runtimeFacts(`${pointer}/runtime`, sensor),
  ];
}

function runtimeFacts(pointer: string, sensor: AppSensor | undefined): Fact[] {
  const runtime = sensor?.runtime;
  if (runtime === undefined || !isOn([sensor, runtime])) return [];
  const events: Readonly<Record<keyof Omit<Runtime, 'enable'>, string>> = {
    exec: 'child processes',
    network: 'outbound connections',
    fs: 'files opened for writing',
  };
  return Object.entries(events)
    .filter(([key]) => Object.entries(runtime).some(([name, value]) => name === key && value))
    .map(([key, subject]) => ({
      kind: 'setting',
      subject: `events about ${subject}`,
      value: 'reported',
      pointer: `${pointer}/${key}`,
    }));
}

function a2aFacts(a2a: A2a | undefined): Fact[] {
  if (!isOn([a2a])) return [];
  const card = a2a?.agent_card;
  return [
    ...patternFacts('/a2a/agent_card/name', card?.name, 'names of agents'),
    ...patternFacts('/a2a/agent_card/description', card?.description, 'descriptions of agents'),
    ...patternFacts('/a2a/agent_card/skills/description', card?.skills?.description, 'descriptions of skills'),
  ];
}

function llmFacts(llm: Llm | undefined): Fact[] {
  if (llm === undefined || !isOn([llm])) return [];
  const { providers, capture_content: captured = true, redact } = llm;
  return [
    { kind: 'setting', subject: 'providers', value: providers?.join(', ') ?? 'all', pointer: '/llm/providers' },
    {
      kind: 'setting',
      subject: 'prompts and responses in events',
      value: captured ? 'captured' : 'left out',
      pointer: '/llm/capture_content',
    },
    ...patternFacts('/llm/redact', { ...redact, action: 'redact' }, 'prompts and responses in events'),
  ];
}

type Section = Switches & { readonly on_error?: 'allow' | 'block' | undefined };

function headFacts(subject: string, pointer: string, section: Section | undefined): Fact[] {
  return [modeFact(subject, pointer, [section]), ...onErrorFact(pointer, section)];
}

function onErrorFact(pointer: string, section: Section | undefined): Fact[] {
  const value = section?.on_error;
  if (value === undefined) return [];
  return [{ kind: 'setting', subject: 'when the sensor itself fails', value, pointer: `${pointer}/on_error` }];
}
