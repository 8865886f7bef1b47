import { readFileSync } from 'node:fs';

import { hostEngine } from '../src/policy/decide/host-engine.ts';
import { compileExec, decideExec } from '../src/policy/decide/exec.ts';
import { decideMcpContent } from '../src/policy/decide/mcp-content.ts';
import { compileMcp, decideMcpName } from '../src/policy/decide/mcp.ts';
import { parsePolicy } from '../src/policy/index.ts';
import type { Policy } from '../src/policy/index.ts';
import { machine } from './lib/machine.ts';
import { measure, ratio, type Sample, type Subject } from './lib/measure.ts';
import { duration, goal, table } from './lib/table.ts';

const SIZES = [10, 10_000] as const;
const BATCH = 20_000;

/** A list as operators write them: names, directories, programs of versioned directories, suffixes. */
function execRules(count: number): string[] {
  const forms = [
    (n: number) => `/usr/local/bin/tool-${n}`,
    (n: number) => `/opt/app-${n}/**`,
    (n: number) => `**/helper-${n}`,
    (n: number) => `/srv/app-${n}/*/bin/run*`,
    (n: number) => `**/*.plugin-${n}`,
  ];
  return Array.from({ length: count }, (_, index) => forms[index % forms.length]?.(index) ?? '');
}

/** Paths that hit each form, and as many that hit none. */
const PATHS = [
  '/usr/local/bin/tool-5',
  '/opt/app-6/lib/x/y',
  '/usr/lib/x/helper-7',
  '/srv/app-8/v1/bin/runner',
  '/usr/bin/python3.12',
  '/usr/bin/git',
  '/home/user/project/node_modules/.bin/tsc',
  '/usr/lib/x86_64-linux-gnu/ld-linux.so.2',
];

function execSubject(count: number): Subject {
  const compiled = compileExec({ exec: { remediate: true, deny_list: execRules(count) } });
  return {
    name: `exec, ${count} rules`,
    batch: BATCH,
    run: () => {
      for (let i = 0; i < BATCH; i++) decideExec(compiled, { path: PATHS[i % PATHS.length] ?? '' });
    },
  };
}

function toolSubject(count: number): Subject {
  const deny_list = Array.from({ length: count }, (_, index) =>
    index % 5 === 4 ? `tool_${index}_*` : `tool_${index}`,
  );
  const policy = { js_sensor: { remediate: true, mcp: { client: { tools: { files: { deny_list } } } } } };
  const compiled = compileMcp(policy, 'js_sensor', hostEngine);
  const names = ['tool_3', 'tool_4_x', 'read_file', 'list_directory', 'tool_999999', 'search'];
  return {
    name: `tool names, ${count} rules`,
    batch: BATCH,
    run: () => {
      for (let i = 0; i < BATCH; i++) {
        decideMcpName(compiled, { side: 'client', kind: 'tool', server: 'files', name: names[i % names.length] ?? '' });
      }
    },
  };
}

/** Ten KiB of a tool's result, source code of ours, inspected with all builtin sets. */
function contentSubject(): Subject {
  const policy: Pick<Policy, 'js_sensor'> = {
    js_sensor: {
      remediate: true,
      mcp: {
        client: {
          tools: { '*': { responses: { builtin: ['prompt_injection', 'secrets', 'shell', 'exfiltration', 'pii'] } } },
        },
      },
    },
  };
  const compiled = compileMcp(policy, 'js_sensor', hostEngine);
  const directory = `${import.meta.dirname}/../src/policy/decide/`;
  const text = ['network.ts', 'options.ts', 'mcp.ts'].map((file) => readFileSync(directory + file, 'utf8')).join('');
  const value = { content: [{ type: 'text', text: text.slice(0, 10_240) }] };
  return {
    name: 'all builtin sets over 10 KiB',
    batch: 20,
    run: () => {
      for (let i = 0; i < 20; i++) {
        decideMcpContent(compiled, { side: 'client', kind: 'tool', server: 'x', name: 'x', part: 'responses', value });
      }
    },
  };
}

/** A policy of 1 MiB: mostly lists of globs and names, as a generator would write one. */
function bigPolicy(): string {
  const deny_list: string[] = [];
  const policy = { policy_id: 'big', version: 1, exec: { remediate: true, deny_list } };
  for (let size = 100, n = 0; size < 2 ** 20; n++) {
    const rule =
      n % 2 === 0 ? `/opt/vendor/application-${n}/releases/*/bin/**` : `/usr/local/lib/application-${n}/bin/run`;
    deny_list.push(rule);
    size += rule.length + 3;
  }
  return JSON.stringify(policy);
}

function parseSubjects(): readonly Subject[] {
  const text = bigPolicy();
  const bytes = Buffer.from(text);
  return [
    { name: 'JSON.parse, 1 MiB', run: () => JSON.parse(text) },
    { name: 'parsePolicy, 1 MiB', run: () => parsePolicy(bytes) },
  ];
}

function row(sample: Sample): readonly (string | number)[] {
  return [sample.name, duration(sample.median), duration(sample.p95), Math.round(1000 / sample.median)];
}

/** Decisions per second, what a longer list costs, and what reading a policy costs beside JSON.parse. */
export async function run(): Promise<boolean> {
  console.log(machine());
  const samples = await measure([...SIZES.map(execSubject), ...SIZES.map(toolSubject), contentSubject()]);
  const parsing = await measure(parseSubjects(), { rounds: 7, warmup: 2 });
  console.log(table(['what', 'median', 'p95', 'per second'], [...samples, ...parsing].map(row)));
  const [execFew, execMany, toolsFew, toolsMany] = samples;
  const [json, policy] = parsing;
  if (!execFew || !execMany || !toolsFew || !toolsMany || !json || !policy) return false;
  console.log(`parsePolicy takes ${ratio(policy, json).toPrecision(3)} × what JSON.parse takes`);
  return [
    goal('exec, 10 → 10,000 rules', ratio(execMany, execFew), 1.2),
    goal('tool names, 10 → 10,000 rules', ratio(toolsMany, toolsFew), 1.2),
    goal('parsing and validating 1 MiB', policy.median, 100, 'ms'),
  ].every(Boolean);
}
