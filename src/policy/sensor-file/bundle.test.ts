import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const ENTRY = `
export { compileMcp, decideMcpList, decideMcpName } from './mcp.ts';
export { decideMcpContent } from './mcp-content.ts';
export { decideMcpHttp, decideMcpStdio } from './mcp-servers.ts';
export { compileA2a, decideA2aCard } from './a2a.ts';
export { fileEngine } from '../sensor-file/engine.ts';
`;

describe('what the JavaScript sensor takes from the policy', () => {
  it('needs no package and no module of Node, and is small', async () => {
    const resolveDir = `${import.meta.dirname}/../decide`;
    // A package or a node: module would fail: the platform is neutral and nothing is external.
    const result = await build({
      stdin: { contents: ENTRY, resolveDir, loader: 'ts' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
      metafile: true,
    });
    expect(Object.keys(result.metafile.inputs).filter((path) => path.includes('node_modules'))).toEqual([]);
    expect(result.outputFiles[0]?.contents.length).toBeLessThan(20_000);
  });
});
