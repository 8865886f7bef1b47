import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { execa } from 'execa';

const JS = `#!/usr/bin/env node
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'mini', version: 'VERSION' } }
    : { tools: [{ name: 'dir', description: process.argv.slice(2).join(' '), inputSchema: { type: 'object' } }] };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;
const PYTHON = `
import json, sys
def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "initialize":
            result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "mini-py", "version": "1"}}
        else:
            result = {"tools": [{"name": "now", "inputSchema": {"type": "object"}}]}
        if "id" in asked:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
`;
/** Makes a wheel out of a directory: argv is that and the file. */
const ZIP = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w") as wheel:
    for top, _, names in os.walk(sys.argv[1]):
        for name in names:
            path = os.path.join(top, name)
            wheel.write(path, os.path.relpath(path, sys.argv[1]))
`;

/** A registry of npm and of Python on loopback, with one MCP server each: `@mini/server` 1.0.0 and `mini-py` 1.0. */
export class Registry {
  readonly #dir = mkdtempSync(join(tmpdir(), 'ucp-registry-'));
  readonly #server: Server;
  readonly #npm = new Map<string, Buffer>();
  #wheel = Buffer.alloc(0);
  /** Paths that were asked for. */
  readonly asked: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = decodeURIComponent(request.url ?? '');
      this.asked.push(path);
      if (path === '/@mini/server') response.setHeader('content-type', 'application/json').end(this.#packument());
      else if (path.endsWith('.tgz')) response.end(this.#npm.get(path.slice(1, -4)));
      else if (path.endsWith('.whl')) response.end(this.#wheel);
      else if (path === '/simple/mini-py/') {
        response
          .setHeader('content-type', 'text/html')
          .end('<a href="/mini_py-1.0-py3-none-any.whl">mini_py-1.0-py3-none-any.whl</a>');
      } else response.writeHead(404).end();
    });
  }

  static async start(): Promise<Registry> {
    const registry = new Registry();
    await registry.publish('1.0.0');
    await registry.#makeWheel();
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A further version of `@mini/server`. Its install script would leave a mark, if one ran. */
  async publish(version: string): Promise<void> {
    const root = join(this.#dir, version, 'package');
    mkdirSync(root, { recursive: true });
    const manifest = {
      name: '@mini/server',
      version,
      bin: { server: 'main.js' },
      scripts: { install: 'touch installed' },
    };
    writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(root, 'main.js'), JS.replace('VERSION', version));
    await execa('tar', ['-C', join(root, '..'), '-czf', join(this.#dir, `${version}.tgz`), 'package']);
    this.#npm.set(version, readFileSync(join(this.#dir, `${version}.tgz`)));
  }

  [Symbol.dispose](): void {
    this.#server.close();
    rmSync(this.#dir, { recursive: true });
  }

  async #makeWheel(): Promise<void> {
    const root = join(this.#dir, 'wheel');
    const info = join(root, 'mini_py-1.0.dist-info');
    mkdirSync(info, { recursive: true });
    writeFileSync(join(root, 'mini_py.py'), PYTHON);
    writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: mini-py\nVersion: 1.0\n');
    writeFileSync(
      join(info, 'WHEEL'),
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    );
    writeFileSync(join(info, 'entry_points.txt'), '[console_scripts]\nmini-py = mini_py:main\n');
    writeFileSync(join(info, 'RECORD'), '');
    const file = join(this.#dir, 'mini_py-1.0-py3-none-any.whl');
    await execa('python3', ['-c', ZIP, root, file]);
    this.#wheel = readFileSync(file);
  }

  #packument(): string {
    const versions = [...this.#npm].map(([version, tarball]) => {
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const bin = { server: 'main.js' };
      return [
        version,
        { name: '@mini/server', version, bin, dist: { tarball: `${this.url}/${version}.tgz`, integrity } },
      ];
    });
    const latest = [...this.#npm.keys()].at(-1);
    return JSON.stringify({ name: '@mini/server', 'dist-tags': { latest }, versions: Object.fromEntries(versions) });
  }
}
