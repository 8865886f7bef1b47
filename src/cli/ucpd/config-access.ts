import { join } from 'node:path';

import { type ConfigAccess, systemClock } from '../../controlplane/index.ts';
import type { Logger } from '../../core/ports.ts';
import type { UcpdHost } from './host.ts';

/** How this process reads a configuration: S3-compatible stores by the AWS SDK's own variables. */
export function configAccess(host: UcpdHost, stateDir: string, logger: Logger): ConfigAccess {
  return {
    copy: join(stateDir, 'config.yaml'),
    endpoint: host.env['AWS_ENDPOINT_URL_S3'] ?? host.env['AWS_ENDPOINT_URL'],
    clock: systemClock,
    logger,
  };
}
