import { UcpError } from '../core/errors.ts';
import type { PublishedPort } from './facts.ts';
import { isEveryone, isLoopback, namesHost } from './ingress.ts';
import type { NetworkRuleSet, RangeRule } from './rules.ts';

type Asked = Pick<PublishedPort, 'address' | 'containerPort' | 'protocol'>;

function rulesOn(rules: readonly RangeRule[], port: number): readonly RangeRule[] {
  return rules.filter(({ ports }) => ports.some(({ from, to }) => port >= from && port <= to));
}

/**
 * Refuses published ports whose `from` can't be told apart from others by what arrives in the sandbox: on an address that
 * others reach, the host looks like any other container and like an IPv6 client. Throws INGRESS_AMBIGUOUS.
 */
export function assertDistinguishable({ ingress, config }: NetworkRuleSet, ports: readonly Asked[]): void {
  if (ingress === undefined || !config.mode.enabled) return;
  for (const { address, containerPort, protocol } of ports) {
    if (protocol !== 'tcp' || isLoopback({ address })) continue;
    const rules = rulesOn(ingress, containerPort);
    const everyone4 = rules.some((rule) => isEveryone(rule) && rule.range.family === 4);
    const everyone6 = rules.some((rule) => isEveryone(rule) && rule.range.family === 6);
    const host = rules.find((rule) => !isEveryone(rule) && namesHost(rule, []));
    if (host !== undefined && !everyone4) {
      throw ambiguous(
        `Port ${containerPort} is published on ${address}, where connections of the host can't be told from those of other containers and IPv6 clients, but ${host.pointer} lets in the host alone`,
        `publish it on 127.0.0.1, or let in 0.0.0.0/0`,
        host.pointer,
      );
    }
    if (address.includes(':') && everyone4 !== everyone6) {
      throw ambiguous(
        `Port ${containerPort} is published on ${address}, where IPv6 clients can't be told from the host, but ${config.at}/ingress lets in everybody of one family only`,
        'publish it on an IPv4 address, or let in both 0.0.0.0/0 and ::/0',
        `${config.at}/ingress`,
      );
    }
  }
}

function ambiguous(what: string, remedy: string, pointer: string): UcpError {
  return new UcpError('INGRESS_AMBIGUOUS', `${what}: ${remedy}.`, { pointer });
}

/** For each published port that nobody can reach under the configuration: a sentence for its user. */
export function unreachablePorts({ ingress, config }: NetworkRuleSet, ports: readonly Asked[]): readonly string[] {
  if (ingress === undefined || config.mode.mode === 'observe' || !config.mode.enabled) return [];
  return ports.flatMap(({ address, containerPort, protocol }) => {
    const rules = rulesOn(ingress, containerPort);
    const reaches = protocol === 'tcp' && rules.some((rule) => !isLoopback({ address }) || namesHost(rule, []));
    if (reaches) return [];
    const why =
      rules.length === 0 || protocol === 'udp' ? 'names it' : 'lets in the host, which alone reaches 127.0.0.1';
    return [`port ${containerPort}/${protocol} is published on ${address}, but no rule of ${config.at}/ingress ${why}`];
  });
}
