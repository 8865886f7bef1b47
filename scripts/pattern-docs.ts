import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { patternDocs } from '../src/policy/patterns/document.ts';
import { corpora } from '../src/policy/patterns/measure.ts';

const root = join(import.meta.dirname, '..');
const read = (set: string): string => readFileSync(join(root, 'test/corpus', `${set}.jsonl`), 'utf8');
writeFileSync(join(root, 'docs/patterns.md'), patternDocs(corpora(read)));
