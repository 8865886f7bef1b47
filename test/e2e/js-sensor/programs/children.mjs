/** Starts children and threads in every way, and prints which of them have the sensor. */
import childProcess, { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parentPort, Worker } from 'node:worker_threads';

const LOOK = "Symbol.for('ucp.sensor') in globalThis";
const look = Symbol.for('ucp.sensor') in globalThis;
const self = fileURLToPath(import.meta.url);
const env = { PATH: process.env.PATH };
const node = process.execPath;
const script = ['-p', LOOK];

const read = (child) =>
  new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.on('close', () => resolve(text.trim()));
  });
const message = (from) => new Promise((resolve) => from.once('message', (said) => resolve(String(said))));
const command = `"${node}" -p "${LOOK}"`;

if (process.argv[2] === 'child') process.send(look);
else if (parentPort !== null) parentPort.postMessage(look);
else {
  const url = new URL(import.meta.url);
  const text = `require('node:worker_threads').parentPort.postMessage(${LOOK})`;
  const found = {
    spawn: await read(spawn(node, script, { env })),
    'spawn shell': await read(spawn(command, { env, shell: true })),
    'spawn own NODE_OPTIONS': await read(spawn(node, script, { env: { ...env, NODE_OPTIONS: '--no-warnings' } })),
    exec: (await promisify(exec)(command, { env })).stdout.trim(),
    execFile: (await promisify(execFile)(node, script, { env })).stdout.trim(),
    fork: await message(fork(self, ['child'], { env, execArgv: [] })),
    spawnSync: spawnSync(node, script, { env }).stdout.toString().trim(),
    'spawnSync without options': spawnSync(node, script).stdout.toString().trim(),
    execFileSync: execFileSync(node, script, { env }).toString().trim(),
    execSync: execSync(command, { env }).toString().trim(),
    'default import': childProcess.execSync(command, { env }).toString().trim(),
    worker: await message(new Worker(url)),
    'worker execArgv': await message(new Worker(url, { execArgv: [] })),
    'worker env': await message(new Worker(url, { env: {} })),
    'worker both': await message(new Worker(url, { env: {}, execArgv: [] })),
    'worker eval': await message(new Worker(text, { eval: true })),
  };
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
