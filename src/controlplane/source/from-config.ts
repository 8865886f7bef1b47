import type { Clock } from '../../core/ports.ts';
import { below, type Location, parseLocation } from '../config/location.ts';
import type { PolicyControl } from '../config/schema.ts';
import { fileObject } from './file-object.ts';
import { objectSource } from './policy-objects.ts';
import { s3Object } from './s3-object.ts';
import type { PolicySource } from './source.ts';
import type { SourceObject } from './source-object.ts';

/** The source that the configuration names. Throws CONFIG_INVALID. */
export function policySource(control: PolicyControl, clock: Clock): PolicySource {
  const { region, endpoint, timeout } = control.transport ?? {};
  const object = (location: Location): SourceObject =>
    location.kind === 'file' ? fileObject(location.path) : s3Object(location, { region, endpoint, timeout, clock });
  const base = parseLocation(control.policy_url);
  return objectSource(
    {
      policy: object(below(base, control.policy)),
      signature: object(below(base, control.policy_sig)),
      publicKey: object(parseLocation(control.public_key)),
    },
    control.max_policy_bytes,
  );
}
