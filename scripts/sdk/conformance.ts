import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import {
  clientVerdicts,
  serverVerdicts,
  suiteIn,
  type Subject,
  wholeOf,
} from '../../test/e2e/js-sensor/helpers/conformance.ts';
import type { Suite } from '../../test/e2e/js-sensor/helpers/suites.ts';

const FOLDER = 'test/conformance';

/** The conformance suite on the SDK's own programs, by name: its servers and clients in each era that they speak. */
export function conformanceSuites(root: string): ReadonlyMap<string, Suite> {
  const suites = new Map<string, Suite>();
  if (!existsSync(join(root, FOLDER))) return suites;
  const modern = existsSync(join(root, FOLDER, 'expected-failures.2026-07-28.yaml'));
  const server = subject(root, 'everythingServer.ts');
  const client = subject(root, 'everythingClient.ts');
  for (const era of ['2025-11-25', ...(modern ? ['2026-07-28'] : [])]) {
    suites.set(`${FOLDER}/server/${era}`, (way) => serverVerdicts(server, way, wholeOf(era)));
    suites.set(`${FOLDER}/client/${era}`, (way) => clientVerdicts(client, way, wholeOf(era)));
  }
  suites.set(`${FOLDER}/client/extensions`, (way) => clientVerdicts(client, way, [['--suite', 'extensions']]));
  return suites;
}

/** One of the SDK's programs; v2 keeps them in a package of their own. */
function subject(root: string, program: string): Subject {
  const folder = join(root, FOLDER);
  const cwd = existsSync(join(folder, 'package.json')) ? folder : root;
  const tsx = createRequire(join(cwd, 'package.json')).resolve('tsx');
  return { suite: suiteIn(cwd), program: ['--import', tsx, join(folder, 'src', program)], cwd };
}
