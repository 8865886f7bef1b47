/**
 * The program that is everything in the test internet: `node main.ts CONFIG` in its network namespace, CONFIG a file with
 * a WorldConfig. Says `ready`, answers requests on standard input (see protocol.ts), ends with it.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import type { WorldAnswer, WorldConfig, WorldRequest } from './protocol.ts';
import { Sites } from './sites.ts';
import { Zone } from './zone.ts';

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as WorldConfig;
const zone = new Zone(config.zone);
const sites = new Sites(zone);
await sites.start(config);
process.stdout.write('ready\n');

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as WorldRequest;
    if (request.op === 'zone') zone.records = request.zone;
    if (request.op === 'silence') zone.silent = request.silent;
    const seen: WorldAnswer = { asked: zone.asked, visits: sites.visits };
    process.stdout.write(`${JSON.stringify(seen)}\n`);
  })
  .on('close', () => process.exit(0));
