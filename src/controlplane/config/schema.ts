import { z } from 'zod';

import { isLocation } from './location.ts';

const Location = z.string().refine(isLocation, 'expected s3://BUCKET/KEY, file:///PATH or an absolute path');
const Seconds = z.number().positive();

const Transport = z.strictObject({
  transport_type: z.enum(['s3', 'file']).optional(),
  auth_method: z.literal('default').optional(),
  region: z.string().min(1).optional(),
  /** Base URL of an S3-compatible store; implies path-style addresses. */
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  /** Seconds that reading one object may take; 60 when absent. */
  timeout: Seconds.optional(),
});

const PolicyControl = z
  .strictObject({
    policy_url: Location,
    policy: z.string().min(1),
    policy_sig: z.string().min(1),
    public_key: Location,
    /** SHA-256 of the key's SubjectPublicKeyInfo: only that key of the file counts. */
    public_key_sha256: z
      .string()
      .regex(/^(?:sha256:)?[0-9a-fA-F:]{64,95}$/, 'expected 64 hex digits')
      .optional(),
    transport: Transport.optional(),
    /** Seconds between checks, ± 10 %. */
    poll_interval: Seconds.default(300),
    max_policy_bytes: z
      .int()
      .positive()
      .default(8 * 1024 * 1024),
    /** Seconds without a successful check after which `policy_stale` is reported. */
    max_staleness: Seconds.optional(),
  })
  .describe('Where the signed policy comes from.');
export type PolicyControl = z.infer<typeof PolicyControl>;

/** `config.yaml`. */
export const Config = z.strictObject({
  event_format: z.literal('OTEL').optional(),
  event_url: z.url({ protocol: /^https?$/ }).optional(),
  event_headers: z.record(z.string(), z.string()).optional(),
  /** Which built-in policy is in force while there is no signed one. */
  edition: z.enum(['free', 'full']).default('free'),
  /** Resolvers that are asked for the names of sandboxes with a network config; the host's when absent. */
  dns_servers: z
    .array(z.union([z.ipv4(), z.ipv6()], 'expected the address of a DNS server'))
    .min(1)
    .max(3)
    .optional(),
  ucpcm: PolicyControl.optional(),
});
export type Config = z.infer<typeof Config>;
