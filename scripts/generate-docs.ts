/** Writes the documents that are made from code: `npm run docs`. A test fails when one of them is out of date. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { GENERATED } from './docs/files.ts';

for (const [path, generate] of Object.entries(GENERATED)) {
  writeFileSync(join(import.meta.dirname, '..', path), generate());
}
