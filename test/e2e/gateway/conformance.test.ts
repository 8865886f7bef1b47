import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { Bridge } from '../../../src/sandbox/serve/bridge.ts';
import type { ServedSandbox } from '../../../src/sandbox/serve/session.ts';
import { node } from '../../images/index.ts';
import { verifies } from '../helpers/verifies.ts';
import { failed, someOf, suiteIn, verdicts, wholeOf, type Chosen } from '../js-sensor/helpers/conformance.ts';
import { packages } from '../js-sensor/helpers/packages.ts';
import type { Results } from '../js-sensor/helpers/suites.ts';
import { running, serveHttp } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const PORT = 3001;
const ERA = '2025-11-25';
const ALL = wholeOf(ERA);
/** On stdio every scenario starts a sandbox: the whole suite with UCP_FULL=1, else what goes both ways and in streams. */
const CHOSEN: Chosen =
  process.env['UCP_FULL'] === '1'
    ? ALL
    : someOf(ERA, ['tools-call-sampling', 'tools-call-with-progress', 'json-schema-2020-12']);

/** What the suite asks of the door is answered by whoever stands there. */
const DOOR = 'server-dns-rebinding-protection: localhost-host-rebinding-rejected';

/** Rules that nothing in the suite breaks, and that make the gateway read everything. */
const RULES: Policy['gateway'] = {
  remediate: true,
  mcp: {
    server: {
      tools: { '*': { deny_list: ['nothing-of-that-name'], responses: { builtin: ['secrets'] } } },
      methods: { '*': { deny_list: ['nothing/of-that-name'] } },
      pin_tools: true,
    },
  },
};

describe('the conformance suite', () => {
  let host: GatewayHost;
  let suite: string;
  /** A server with everything that the suite asks of one: mounts, image and command. */
  let server: readonly string[];

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    const dir = await packages('conformance');
    suite = suiteIn(dir);
    server = ['-v', `${dir}:/app`, await node(), 'node', '/app/programs/conformance-server.mjs'];
  });
  afterAll(() => host[Symbol.asyncDispose]());

  const verdictsOn = (url: string, chosen: Chosen): Promise<Results> =>
    verdicts(suite, ['server', '--url', url], chosen);

  /** The same server in a container of docker's own. */
  const direct = async (): Promise<Results> => {
    const name = `ucp-conformance-${process.pid}`;
    const published = ['-p', `127.0.0.1::${PORT}`];
    await execa('docker', ['run', '-d', '--rm', '--name', name, ...published, ...server, String(PORT)]);
    try {
      const { stdout } = await execa('docker', ['port', name, String(PORT)]);
      const url = `http://${stdout.trim()}`;
      const status = async (): Promise<number> => (await fetch(url).catch(() => undefined))?.status ?? 0;
      await expect.poll(status, { timeout: 60_000 }).toBeGreaterThan(0);
      return await verdictsOn(`${url}/mcp`, ALL);
    } finally {
      await execa('docker', ['rm', '-f', name]);
    }
  };

  verifies(
    ['GW-07'],
    'says the same of a server over HTTP with a gateway that enforces rules, and without',
    async () => {
      await using run = await serveHttp(host, PORT, [...(await host.flags(RULES)), ...server, String(PORT)]);
      const plain = await direct();
      // The one thing that a gateway adds: this server does not look at Host and Origin.
      expect(failed(plain)).toEqual([DOOR]);
      const through = await verdictsOn(`${run.url}/mcp`, ALL);
      expect(through).toEqual(new Map(plain).set(DOOR, 'SUCCESS'));
      expect((await host.gatewayEvents()).filter(({ name }) => name === 'mcp_session_started').length).toBeGreaterThan(
        5,
      );
    },
  );

  /** The suite speaks HTTP only: the same bridge stands before a container of docker's own. */
  const bridged = (): ServedSandbox => {
    const child = execa('docker', ['run', '--rm', '-i', ...server], { reject: false, buffer: false });
    const ended = child.then(({ exitCode }) => `The server ended with exit code ${exitCode ?? 0}.`);
    return { stdin: child.stdin, stdout: child.stdout, ended };
  };

  verifies(
    ['GW-07', 'GW-08'],
    'says the same of a server on stdio behind wrapper and gateway, and without',
    async () => {
      const bridge = new Bridge({ start: bridged, note: () => undefined });
      try {
        const plain = `http://127.0.0.1:${await bridge.listen({ address: '127.0.0.1', port: 0 })}/mcp`;
        await using run = await running(host, ['run', '--serve', '0', ...(await host.flags(RULES)), ...server]);
        const without = await verdictsOn(plain, CHOSEN);
        expect([without.size > 0, failed(without)]).toEqual([true, []]);
        expect(await verdictsOn(run.url, CHOSEN)).toEqual(without);
      } finally {
        await bridge.close();
      }
    },
  );
});
