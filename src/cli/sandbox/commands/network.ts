import { resolve } from 'node:path';

import { UcpError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { NetworkListing } from '../../../core/protocol.ts';
import { compileNetwork, decideEgress } from '../../../policy/index.ts';
import { EXIT } from '../../exit-codes.ts';
import { columns } from '../columns.ts';
import type { Session } from './session.ts';

/** Which policy is asked; the one in force where no file is named. */
export interface PolicyChoice {
  readonly policy?: string;
  readonly policyKey?: string;
}

/** `network ls`: names, where each comes from, and how much it says. */
export async function networkLs(session: Session, choice: PolicyChoice): Promise<void> {
  const configs = await listed(session, choice);
  session.output.answer(configs, () =>
    columns(
      ['NAME', 'SOURCE', 'MODE', 'EGRESS', 'INGRESS'],
      configs.map(({ name, source, config }) => [
        name,
        source,
        modeOf(config),
        rules(config, 'egress'),
        rules(config, 'ingress'),
      ]),
    ),
  );
}

function modeOf({ enable, remediate }: JsonObject): string {
  if (enable === false) return 'off';
  return remediate === true ? 'enforce' : 'observe';
}

function rules(config: JsonObject, direction: 'egress' | 'ingress'): string {
  const list = config[direction];
  if (Array.isArray(list) && list.length > 0) return `${list.length} ${list.length === 1 ? 'rule' : 'rules'}`;
  return direction === 'ingress' && list === undefined ? 'not restricted' : 'nothing';
}

/** `network show NAME`: the configuration as a policy document writes it. */
export async function networkShow(session: Session, name: string, choice: PolicyChoice): Promise<void> {
  const { config } = await find(session, name, choice);
  session.output.answer(config, () => JSON.stringify(config, null, 2));
}

/** `network check NAME HOST:PORT`: what the rules say of a connection; resolves with the exit code. */
export async function networkCheck(
  session: Session,
  name: string,
  destination: string,
  choice: PolicyChoice,
): Promise<number> {
  const [, host = '', port = '', protocol = 'tcp'] =
    /^(\[[^\]]*\]|[^:]*):(\d{1,5})(?:\/(tcp|udp))?$/.exec(destination) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
    throw new UcpError('USAGE', `Expected HOST:PORT, with /udp for UDP, got ${JSON.stringify(destination)}.`);
  }
  const { name: known, config } = await find(session, name, choice);
  const compiled = compileNetwork({ network: { [known]: config } }, known);
  const query = { host, port: Number(port), protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const) };
  const { allowed, violation, rule, message } = decideEgress(compiled, query);
  const answer = { allowed, ...(rule === undefined ? {} : { rule }), ...(violation ? { message } : {}) };
  session.output.answer(answer, () => (violation ? message : `allowed by ${rule ?? 'a configuration that is off'}`));
  return allowed ? EXIT.ok : EXIT.failed;
}

async function listed({ client }: Session, { policy, policyKey }: PolicyChoice): Promise<readonly NetworkListing[]> {
  const { configs } = await client.call('networks', {
    ...(policy === undefined ? {} : { policyFile: resolve(policy) }),
    ...(policyKey === undefined ? {} : { policyKey: resolve(policyKey) }),
  });
  return configs;
}

async function find(session: Session, name: string, choice: PolicyChoice): Promise<NetworkListing> {
  const configs = await listed(session, choice);
  const found = configs.find((config) => config.name === name);
  if (found !== undefined) return found;
  const names = configs.map((config) => config.name);
  throw new UcpError(
    'NETWORK_CONFIG_UNKNOWN',
    `There is no network config ${JSON.stringify(name)}; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}.`,
    { details: { names } },
  );
}
