import type { Network } from '../../src/policy/index.ts';

type Config = Network[string];
type Egress = NonNullable<Config['egress']>;

const NAMES = 1_000;
const ADDRESSES = 10_000;

/** A configuration of 1,000 names and 10,000 addresses besides the rules given. */
export function bigConfig(rules: Egress): Config {
  const names = Array.from({ length: NAMES }, (_, index) => `n${index}.big.example`);
  const addresses = Array.from({ length: ADDRESSES }, (_, index) => `45.${index >> 8}.${index & 255}.7`);
  return { remediate: true, egress: [...rules, { to: names, ports: [443] }, { to: addresses, ports: [443] }] };
}
