import type { Exec, Network, NetworkConfig, Options } from '../../../policy/index.ts';
import { type Fact, isOn, listFacts, modeFact } from './fact.ts';

export function execFacts(exec: Exec | undefined): Fact[] {
  if (!isOn([exec])) return [];
  const lists = listFacts('/exec', exec, { each: (glob) => `programs at ${glob}`, other: 'every other program' });
  if (exec?.drift !== 'deny') return lists;
  return [
    ...lists,
    { kind: 'denies', subject: "programs that are not from the image's layers", pointer: '/exec/drift' },
  ];
}

export function optionsFacts(options: Options | undefined): Fact[] {
  if (options === undefined || !isOn([options])) return [];
  const { volumes, env, user = '', namespaces = {}, limits = {} } = options;
  const writable = volumes?.writable;
  return [
    ...listFacts('/options/volumes', volumes, {
      each: (glob) => `mounting ${glob}`,
      other: 'mounting any other host path',
    }),
    ...(writable ?? []).map((glob, index): Fact => ({
      kind: 'allows',
      subject: `mounting ${glob} read-write`,
      pointer: `/options/volumes/writable/${index}`,
    })),
    ...(writable === undefined ? [] : [denied('mounting anything else read-write', '/options/volumes/writable')]),
    ...listFacts('/options/env', env, { each: (glob) => `the variable ${glob}`, other: 'every other variable' }),
    ...(env?.allow_injection === true
      ? [
          {
            kind: 'allows',
            subject: 'variables that load code into programs',
            pointer: '/options/env/allow_injection',
          } as const,
        ]
      : []),
    ...(user === '' ? [] : [setting('the user of the workload', user, '/options/user')]),
    ...Object.entries(namespaces).map(([name, value]) =>
      setting(`${name} isolation`, value ? 'required' : 'off unless asked for', `/options/namespaces/${name}`),
    ),
    ...Object.entries(limits).map(([name, value]) =>
      setting(`the most ${name} of a sandbox`, String(value), `/options/limits/${name}`),
    ),
  ];
}

export function networkFacts(network: Network | undefined): Fact[] {
  return Object.entries(network ?? {}).flatMap(([name, config]) => {
    const pointer = `/network/${name}`;
    const mode = modeFact(`the network config ${name}`, pointer, [config]);
    return isOn([config])
      ? [mode, ...egressFacts(pointer, name, config), ...ingressFacts(pointer, name, config)]
      : [mode];
  });
}

function egressFacts(pointer: string, name: string, { egress = [] }: NetworkConfig): Fact[] {
  const allowed = egress.flatMap(({ to, ports, protocol = 'tcp' }, rule) =>
    to.flatMap((destination, index) =>
      ports.map((port): Fact => ({
        kind: 'allows',
        subject: `connections to ${destination}:${port}/${protocol} (${name})`,
        pointer: `${pointer}/egress/${rule}/to/${index}`,
      })),
    ),
  );
  return [...allowed, denied(`every other connection from the sandbox (${name})`, `${pointer}/egress`)];
}

function ingressFacts(pointer: string, name: string, { ingress }: NetworkConfig): Fact[] {
  if (ingress === undefined) return [];
  const allowed = ingress.flatMap(({ from, ports }, rule) =>
    from.flatMap((source, index) =>
      ports.map((port): Fact => ({
        kind: 'allows',
        subject: `connections from ${source} to port ${port} (${name})`,
        pointer: `${pointer}/ingress/${rule}/from/${index}`,
      })),
    ),
  );
  return [...allowed, denied(`every other connection to the sandbox (${name})`, `${pointer}/ingress`)];
}

const denied = (subject: string, pointer: string): Fact => ({ kind: 'denies', subject, pointer });
const setting = (subject: string, value: string, pointer: string): Fact => ({
  kind: 'setting',
  subject,
  value,
  pointer,
});
