import { join } from 'node:path';

import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { mcpServer } from '../../images/index.ts';
import { verifies } from '../helpers/verifies.ts';
import { packages } from '../js-sensor/helpers/packages.ts';
import { serveHttp } from './helpers/http-run.ts';
import { GatewayHost } from './helpers/under-policy.ts';

const PORT = 3001;
/** What the suite asks of the door is answered by whoever stands there; the total counts it. */
const isOfServer = (line: string): boolean => !/dns-rebinding|^Total/.test(line);

const SERVER = ['-e', `PORT=${PORT}`];

describe('the conformance suite', () => {
  let host: GatewayHost;
  let image: string;

  beforeAll(async () => {
    host = new GatewayHost();
    await host.ready();
    image = await mcpServer();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  /** The suite's verdicts on a server: its lines with a mark. */
  const verdicts = async (url: string): Promise<readonly string[]> => {
    const suite = join(await packages('conformance'), 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const ran = await execa(process.execPath, [suite, 'server', '--url', `${url}/mcp`], {
      reject: false,
      cwd: host.dir,
      all: true,
    });
    return ran.all.split('\n').filter((line) => /^[✓✗]|passed|failed/i.test(line.trim()));
  };

  /** The same server in a container of docker's own. */
  const direct = async (): Promise<readonly string[]> => {
    const command = ['mcp-server-everything', 'streamableHttp'];
    const name = `ucp-conformance-${process.pid}`;
    await execa('docker', [
      'run',
      '-d',
      '--rm',
      '--name',
      name,
      '-p',
      `127.0.0.1::${PORT}`,
      ...SERVER,
      image,
      ...command,
    ]);
    try {
      const { stdout } = await execa('docker', ['port', name, String(PORT)]);
      const url = `http://${stdout.trim()}`;
      await expect
        .poll(
          () =>
            fetch(url).then(
              ({ status }) => status,
              () => 0,
            ),
          { timeout: 60_000 },
        )
        .toBeGreaterThan(0);
      return await verdicts(url);
    } finally {
      await execa('docker', ['rm', '-f', name]);
    }
  };

  verifies(
    ['GW-07'],
    'says the same of a server over HTTP with a gateway that enforces rules, and without',
    async () => {
      const flags = await host.flags({
        remediate: true,
        mcp: {
          server: { tools: { '*': { deny_list: ['nothing-of-that-name'], responses: { builtin: ['secrets'] } } } },
        },
      });
      await using run = await serveHttp(host, PORT, [
        ...flags,
        ...SERVER,
        image,
        'mcp-server-everything',
        'streamableHttp',
      ]);
      const plain = await direct();
      expect(plain.length).toBeGreaterThan(25);
      const through = await verdicts(run.url);
      expect(through.filter(isOfServer)).toEqual(plain.filter(isOfServer));
      // The one thing that a gateway adds: this server does not look at Host and Origin.
      expect(through).toContain('✓ dns-rebinding-protection: 2 passed, 0 failed');
      expect((await host.gatewayEvents()).filter(({ name }) => name === 'mcp_session_started').length).toBeGreaterThan(
        5,
      );
    },
  );
});
