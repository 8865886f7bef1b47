/** Starts children and threads that load something before themselves in every way, and prints what each of it said. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const [preload, directory] = process.argv.slice(2);
const early = new URL('early.cjs', import.meta.url).pathname;
const data = 'data:text/javascript,console.log(`early%20${globalThis.__ucpT!==undefined}`)';
const path = { PATH: process.env.PATH };

const child = (env, ...argv) =>
  spawnSync(process.execPath, argv, { env: { ...path, ...env }, input: '' })
    .stdout.toString()
    .split('\n')
    .filter((line) => line.startsWith('early'));
const thread = (file, options) =>
  new Promise((resolve, reject) => {
    const said = [];
    const worker = new Worker(file, options);
    worker.on('message', (message) => said.push(message)).on('exit', () => resolve(said));
    worker.on('error', reject);
  });
/** A thread made while the program's own environment has these. */
const under = async (variables, file, options) => {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  const said = await thread(file, options);
  for (const name of Object.keys(variables)) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  return said;
};

const file = `${directory}/variables`;
writeFileSync(file, `NODE_OPTIONS="--require ${early}"\n`);
const text = `require(${JSON.stringify(early)})`;
const takesPlace = `process.execve(process.execPath, ['node', '-r', ${JSON.stringify(early)}, '-e', '0'], { NODE_OPTIONS: '' })`;

const found = {
  'child: --require': child({ NODE_OPTIONS: `--require ${early}` }, '-e', '0'),
  'child: --require, then ours': child({ NODE_OPTIONS: `--require ${early} --require ${preload}` }, '-e', '0'),
  'child: ours as a value': child({ NODE_OPTIONS: `--title=${preload} --require ${early}` }, '-e', '0'),
  'child: --import, then ours': child({ NODE_OPTIONS: `--import ${data} --import file://${preload}` }, '-e', '0'),
  'child: flag and no options': child({ NODE_OPTIONS: '' }, '--require', early, '-e', '0'),
  'child: --import data': child({}, '--import', data, '-e', '0'),
  'child: NODE_REPL_EXTERNAL_MODULE': child({ NODE_REPL_EXTERNAL_MODULE: early }, '-i'),
  'child: --env-file': child({}, `--env-file=${file}`, early),
  ...(process.execve === undefined ? {} : { 'child: execve': child({}, '-e', takesPlace) }),
  'thread: environment': await thread(early, { env: {} }),
  'thread: --require in its environment': await thread(early, { env: { NODE_OPTIONS: `--require ${early}` } }),
  'thread: --require in its flags': await thread(early, { execArgv: ['--require', early] }),
  "thread: --require in the program's environment": await under({ NODE_OPTIONS: `--require ${early}` }, early, {
    execArgv: [],
  }),
  "thread: the program's environment": await thread(early, { env: { ...process.env } }),
  "thread: the program's environment, no flags": await thread(early, { execArgv: [] }),
  'thread: other policy': await under({ UCP_POLICY_FILE: '/nowhere' }, early),
  'thread: text': await thread(text, { eval: true }),
  'thread: text, environment': await thread(text, { eval: true, env: {} }),
};
process.stdout.write(`${JSON.stringify(found)}\n`);
