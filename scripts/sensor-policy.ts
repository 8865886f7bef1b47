/** Reads a policy document on stdin, writes the file that app sensors read: what a control plane does for its sensors. */
import { readFileSync } from 'node:fs';

import { compileSensorPolicy } from '../src/policy/sensor-file/compile.ts';
import type { Policy } from '../src/policy/index.ts';

const policy: Policy = JSON.parse(readFileSync(0, 'utf8'));
const generation = Number(process.argv[2] ?? '1');
const { policy_id, version } = policy;
const file = compileSensorPolicy(policy, { policy_id, version, digest: `sha256:${'0'.repeat(64)}`, generation });
process.stdout.write(JSON.stringify(file));
