import { z } from 'zod';

import { section, switches } from './section.ts';
import { Cidr, Destination, PortRange } from './text.ts';

/** Who may connect to the sandbox. */
export const IngressRule = section({
  ports: z.array(PortRange).min(1).describe('Ports of the container (TCP).'),
  from: z.array(Cidr).min(1).describe('Networks that may connect. "0.0.0.0/0" and "::/0" are everybody.'),
});
export type IngressRule = z.infer<typeof IngressRule>;

/** Where the sandbox may connect to. */
export const EgressRule = section({
  to: z
    .array(Destination)
    .min(1)
    .describe('Host names, `*.name` (every name below it, not itself), addresses or networks.'),
  ports: z.array(PortRange).min(1).describe('Ports of the destination.'),
  protocol: z.enum(['tcp', 'udp']).describe('Absent: `tcp`.').optional(),
});
export type EgressRule = z.infer<typeof EgressRule>;

/** One network configuration, chosen with `--network-config NAME`. */
export const NetworkConfig = section(
  {
    ...switches,
    ingress: z
      .array(IngressRule)
      .describe(
        'Connections to published ports. Empty: none are let in. Absent: published ports are open to whoever reaches them.',
      )
      .optional(),
    egress: z
      .array(EgressRule)
      .describe('Connections from the sandbox; everything else is refused. Empty or absent: nothing is let out.')
      .optional(),
  },
  'NetworkConfig',
);
export type NetworkConfig = z.infer<typeof NetworkConfig>;

/** A name of a network configuration. */
const NETWORK_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9])?$/;

export const Network = z.record(
  z.string().regex(NETWORK_NAME, 'expected a name of 1 to 64 letters, digits, ".", "_" and "-"'),
  NetworkConfig,
);
export type Network = z.infer<typeof Network>;
