import { spawn } from 'node:child_process';

import { UcpError } from '../../core/errors.ts';

/** How much of what a tool says is kept for a message, characters. */
const KEPT = 1_500;

/** Runs a program of this host and resolves with its stdout. Throws PACKAGE_FAILED with the end of what it said. */
export async function runTool(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-KEPT)));
    child.once('error', (cause) => {
      reject(new UcpError('PACKAGE_FAILED', `${program} could not be started: is it installed here?`, { cause }));
    });
    child.once('close', (code) => {
      if (code === 0) return resolve(out);
      reject(new UcpError('PACKAGE_FAILED', `${program} ${args[0] ?? ''} failed (${code}): ${said.trim()}`));
    });
  });
}
