import { machine } from './lib/machine.ts';
import { starts, updates } from './network/changes.ts';
import { dnsAnswers } from './network/dns.ts';
import { reactions } from './network/reactions.ts';
import { traffic } from './network/traffic.ts';

const PARTS: Readonly<Record<string, () => Promise<boolean>>> = {
  dns: dnsAnswers,
  starts,
  traffic,
  updates,
  reactions,
};

/** `npm run bench -- network [PART…]`: what a network configuration costs; all parts unless some are named. */
export async function run(args: readonly string[]): Promise<boolean> {
  const parts = args.length === 0 ? Object.keys(PARTS) : args;
  console.log(`${machine()}\n`);
  let reached = true;
  for (const name of parts) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`expected ${Object.keys(PARTS).join(', ')}, got ${name}`);
    reached = (await part()) && reached;
  }
  return reached;
}
