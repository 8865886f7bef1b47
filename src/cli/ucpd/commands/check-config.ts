import { SERVICE_PATHS } from '../../../core/paths.ts';
import { silentLogger } from '../../../core/ports.ts';
import { loadConfig } from '../../../controlplane/index.ts';
import type { Output } from '../../output.ts';
import type { UcpdHost } from '../host.ts';
import { configAccess } from '../config-access.ts';
import { placesToFind } from '../places.ts';

/** `ucpd check-config`: reads a configuration as `run` would. Throws CONFIG_INVALID, FILE_UNREADABLE. */
export async function checkConfig(from: string | undefined, host: UcpdHost, output: Output): Promise<void> {
  const places = placesToFind(host)[0] ?? SERVICE_PATHS;
  const named = from ?? host.env['UCP_CONFIG'] ?? places.config;
  const access = configAccess(host, places.stateDir, silentLogger);
  // A check must not be answered by an older copy, nor leave one.
  const { config, from: path } = await loadConfig(named, true, { ...access, copy: undefined });
  const { event_headers: headers, ...rest } = config;
  // Header values are credentials.
  const shown = { ...rest, ...(headers === undefined ? {} : { event_headers: Object.keys(headers) }) };
  output.answer({ path, config: shown }, () => `${path} is valid`);
}
