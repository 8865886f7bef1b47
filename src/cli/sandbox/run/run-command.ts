import { resolve } from 'node:path';

import { UcpError } from '../../../core/errors.ts';
import { NAMESPACES, type RunRequest } from '../../../core/run-request.ts';
import type { PullPolicy } from '../../../sandbox/run/prepare.ts';
import { parseEnvironment } from '../values/environment.ts';
import { parseIsolation, parseLabel, parseRestart } from '../values/lists.ts';
import { parseMount } from '../values/mount.ts';
import { parseCount, parseCpus, parseSize } from '../values/numbers.ts';
import { parseSecrets } from '../values/secret.ts';
import { parseTmpfs } from '../values/tmpfs.ts';
import { badValue } from '../values/usage.ts';
import { parseVolume } from '../values/volume.ts';
import { FlagValues } from './flag-values.ts';
import { mcpFlags } from './mcp-flags.ts';
import type { ParsedFlags } from './parse-flags.ts';

/** A `run` as its command line asks for it. */
export interface RunCommand {
  readonly request: RunRequest;
  readonly pull: PullPolicy;
  readonly dryRun: boolean;
  readonly explain: boolean;
  readonly timings: boolean;
  readonly quiet: boolean;
}

/** Container names, as the engine takes them. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

/** Understands the flags. `host` is the environment that `-e KEY` reads. Throws USAGE or FILE_UNREADABLE. */
export function runCommand(parsed: ParsedFlags, host: Readonly<Record<string, string | undefined>>): RunCommand {
  const flags = new FlagValues(parsed.values);
  const detached = flags.on('detach');
  const { mcp, ports } = mcpFlags(flags);
  const secrets = parseSecrets(flags.all('secret'));
  const request: RunRequest = {
    image: parsed.image,
    command: parsed.command,
    mode: detached ? 'detached' : 'attached',
    remove: !detached || flags.on('rm'),
    interactive: flags.on('interactive') || mcp === 'stdio',
    tty: flags.on('tty'),
    env: parseEnvironment(flags.all('env-file'), flags.all('env'), host),
    mounts: [...flags.all('volume').map(parseVolume), ...flags.all('mount').map(parseMount), ...flags.all('tmpfs').map(parseTmpfs)], // prettier-ignore
    ports,
    labels: Object.fromEntries(flags.all('label').map(parseLabel)),
    limits: flags.given({
      memory: flags.parsed('memory', (text) => parseSize('memory', text)),
      cpus: flags.parsed('cpus', (text) => parseCpus('cpus', text)),
      pids: flags.parsed('pids-limit', (text) => parseCount('pids-limit', text, 1)),
    }),
    allowDegraded: flags.all('allow-degraded'),
    ...flags.given({
      mcp,
      secrets: secrets.length === 0 ? undefined : secrets,
      name: flags.parsed('name', parseName),
      entrypoint: flags.last('entrypoint'),
      workdir: flags.parsed('workdir', parseWorkdir),
      user: flags.last('user'),
      hostname: flags.last('hostname'),
      platform: flags.last('platform'),
      stopTimeout: flags.parsed('stop-timeout', (text) => parseCount('stop-timeout', text, 0)),
      restart: flags.parsed('restart', parseRestart),
      isolation: flags.on('no-isolation') ? NAMESPACES : flags.parsed('isolation', parseIsolation),
      networkConfig: flags.last('network-config'),
      network: flags.parsed('network', parseNetwork),
      policyFile: flags.parsed('policy', (path) => resolve(path)),
      policyKey: flags.parsed('policy-key', (path) => resolve(path)),
    }),
  };
  assertCompatible(request);
  return {
    request,
    pull: flags.parsed('pull', parsePull) ?? 'missing',
    dryRun: flags.on('dry-run'),
    explain: flags.on('explain'),
    timings: flags.on('timings'),
    quiet: flags.on('quiet'),
  };
}

/** Throws USAGE for flags that make no sense together. */
function assertCompatible({ mode, restart, remove, tty, mcp, isolation, network }: RunRequest): void {
  const restarts = restart !== undefined && restart.name !== 'no';
  const stdio = mcp === 'stdio';
  const http = typeof mcp === 'object';
  const shared = isolation?.includes('network') === true;
  const conflicts: readonly (readonly [boolean, string])[] = [
    [restarts && mode === 'attached', '--restart needs --detach: a foreground sandbox ends with its front end.'],
    [restarts && remove, '--restart and --rm exclude each other: it is either started again or removed.'],
    [stdio && tty, '--mcp stdio and --tty exclude each other: a terminal changes the bytes.'],
    [stdio && mode === 'detached', '--mcp stdio and --detach exclude each other: the server ends with its input.'],
    [
      http && mode === 'detached',
      '--mcp http and --detach exclude each other: the gateway is its front end. Let a service manager hold that:' +
        ' systemd-run --user --unit NAME --property Restart=always ucp-sandbox run --mcp http:…',
    ],
    [
      http && (shared || network === 'none'),
      '--mcp http needs a network of the sandbox alone, which the gateway reaches.',
    ],
  ];
  const conflict = conflicts.find(([present]) => present);
  if (conflict !== undefined) throw new UcpError('USAGE', conflict[1]);
}

function parsePull(text: string): PullPolicy {
  if (text === 'missing' || text === 'always' || text === 'never') return text;
  throw badValue('pull', 'missing, always or never', text);
}

function parseName(text: string): string {
  if (!NAME.test(text)) throw badValue('name', 'letters, digits, _ . -, at least two', text);
  return text;
}

function parseWorkdir(text: string): string {
  if (!text.startsWith('/')) throw badValue('workdir', 'an absolute path', text);
  return text;
}

/** The network namespace of the host or of another container is not a network to join. */
function parseNetwork(text: string): string {
  if (text === 'host' || text === '' || text.startsWith('container:')) {
    throw badValue('network', "the name of an engine network or 'none' (to share the host's, see --isolation)", text);
  }
  return text;
}
