import type { Plugin } from 'esbuild';

/**
 * Loads node's modules by `require`. An ES import of a builtin makes node evaluate each of its exports, lazy ones
 * included: `import 'node:http'` loads all of undici that way, 20 ms of a start.
 */
export const requiredBuiltins: Plugin = {
  name: 'required-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Module text that is loaded when one of its exports is first used. */
function onUse(name: string): string {
  return `module.exports = new Proxy({}, { get: (_, key) => require(${JSON.stringify(name)})[key] });`;
}

/** What dockerode loads at its start and UCP never calls: ssh connections, image builds, tar files, debug output. */
const ABSENT = /^(?:ssh2|@grpc\/grpc-js|@grpc\/proto-loader|protobufjs|tar-fs|@balena\/dockerignore)$/;

/** Keeps what UCP does not use of dockerode out of the bundle, and the rest of it cheap to load. */
export const leanDockerode: Plugin = {
  name: 'lean-dockerode',
  setup(build) {
    const fromDocker = /node_modules\/(?:dockerode|docker-modem)\//;
    const lean = { filter: /.*/, namespace: 'lean' };
    build.onResolve(
      { filter: /^(?:ssh2|@grpc\/.*|protobufjs|tar-fs|@balena\/dockerignore|debug|readable-stream|https|zlib)$/ },
      (args) => (fromDocker.test(args.importer) ? { path: args.path, namespace: 'lean' } : undefined),
    );
    build.onLoad(lean, ({ path }) => {
      if (ABSENT.test(path)) {
        const words = `${path} is not part of this bundle: ssh hosts and image builds are refused by ENGINE_ENDPOINT before this`;
        return {
          contents: `module.exports = new Proxy(function () {}, { get: (_, key) => key === 'Client' ? function () { throw new Error(${JSON.stringify(words)}); } : undefined });`,
        };
      }
      if (path === 'debug') return { contents: 'module.exports = () => () => {};' };
      // Node's own streams are what this package copies.
      if (path === 'readable-stream') return { contents: "module.exports = require('stream');" };
      return { contents: onUse(path) };
    });
  },
};
