import { join } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import type { Policy } from '../../../src/policy/index.ts';
import { Bridge } from '../../../src/sandbox/serve/bridge.ts';
import type { ServedSandbox } from '../../../src/sandbox/serve/session.ts';
import { node } from '../../images/index.ts';
import { verifies } from '../helpers/verifies.ts';
import { packages } from '../js-sensor/helpers/packages.ts';
import { running, serveHttp } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const PORT = 3001;
/** On stdio every scenario starts a sandbox: the whole suite with UCP_FULL=1, else what goes both ways and in streams. */
const CHOSEN: readonly (readonly string[])[] =
  process.env['UCP_FULL'] === '1'
    ? [['--suite', 'all']]
    : ['tools-call-sampling', 'tools-call-with-progress', 'json-schema-2020-12'].map((one) => ['--scenario', one]);

/** What the suite asks of the door is answered by whoever stands there; the total counts it. */
const isOfServer = (line: string): boolean => !/dns-rebinding|^Total/.test(line);

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
    suite = join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    server = ['-v', `${dir}:/app`, await node(), 'node', '/app/programs/conformance-server.mjs'];
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** The suite's verdicts on a server: its lines with a mark, or its checks. */
  const verdicts = async (url: string, ...chosen: readonly string[]): Promise<readonly string[]> => {
    const ran = await execa(process.execPath, [suite, 'server', '--url', url, ...chosen], {
      reject: false,
      cwd: host.dir,
      all: true,
    });
    return ran.all.split('\n').filter((line) => /^[✓✗]|passed|failed/i.test(line.trim()));
  };

  /** The same server in a container of docker's own. */
  const direct = async (): Promise<readonly string[]> => {
    const name = `ucp-conformance-${process.pid}`;
    const published = ['-p', `127.0.0.1::${PORT}`];
    await execa('docker', ['run', '-d', '--rm', '--name', name, ...published, ...server, String(PORT)]);
    try {
      const { stdout } = await execa('docker', ['port', name, String(PORT)]);
      const url = `http://${stdout.trim()}`;
      const status = async (): Promise<number> => (await fetch(url).catch(() => undefined))?.status ?? 0;
      await expect.poll(status, { timeout: 60_000 }).toBeGreaterThan(0);
      return await verdicts(`${url}/mcp`, '--suite', 'all');
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
      expect(plain.filter((line) => line.startsWith('✓')).length).toBeGreaterThan(30);
      const through = await verdicts(`${run.url}/mcp`, '--suite', 'all');
      expect(through.filter(isOfServer)).toEqual(plain.filter(isOfServer));
      // The one thing that a gateway adds: this server does not look at Host and Origin.
      expect(through).toContain('✓ dns-rebinding-protection: 2 passed, 0 failed');
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
        for (const chosen of CHOSEN) {
          const without = await verdicts(plain, ...chosen);
          expect([chosen, without.length > 0, without.filter((line) => line.startsWith('✗'))]).toEqual([
            chosen,
            true,
            [],
          ]);
          expect(await verdicts(run.url, ...chosen)).toEqual(without);
        }
      } finally {
        await bridge.close();
      }
    },
  );
});
