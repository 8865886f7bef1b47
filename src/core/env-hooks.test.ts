import { describe, expect, test } from 'vitest';

import { isImageHook, isUserHook } from './env-hooks.ts';

describe('EX-20: variables that inject code', () => {
  test.each([
    ['LD_PRELOAD', '/x.so'],
    ['BASH_ENV', '/x'],
    ['BASH_FUNC_ls%%', '() { id; }'],
    ['GIT_CONFIG_COUNT', '1'],
    ['NODE_OPTIONS', '--require /x.js'],
    ['NODE_OPTIONS', '--max-old-space-size=99 --import=data:text/javascript,0'],
    ['NODE_OPTIONS', '--experimental_loader ./x.mjs'],
    ['NODE_OPTIONS', '-r ./x'],
    ['NODE_OPTIONS', '"--require" ./x'],
    ['NODE_OPTIONS', '--no-warnings --req"uire" ./x'],
    ['NODE_OPTIONS', '"--im\\port" ./x'],
    ['NODE_OPTIONS', '--openssl-config=/x.cnf'],
    ['NODE_REPL_EXTERNAL_MODULE', '/x.js'],
    ['JAVA_TOOL_OPTIONS', '-javaagent:/x.jar'],
    ['_JAVA_OPTIONS', '-agentlib:jdwp'],
    ['JAVA_TOOL_OPTIONS', "-java'agent':/x.jar"],
    ['RUBYOPT', '-rdebug'],
  ])('%s=%s is a hook whoever sets it', (name, value) => {
    expect(isImageHook(name, value)).toBe(true);
    expect(isUserHook(name, value)).toBe(true);
  });

  test.each([
    ['PYTHONPATH', '/app'],
    ['LD_LIBRARY_PATH', '/usr/local/cuda/lib64'],
    ['OPENSSL_CONF', '/etc/ssl/openssl.cnf'],
    ['JAVA_TOOL_OPTIONS', '-Xmx1g'],
    ['RUBYOPT', '-W0'],
  ])("%s is a hook from a user and an image's own business from an image", (name, value) => {
    expect(isImageHook(name, value)).toBe(false);
    expect(isUserHook(name, value)).toBe(true);
  });

  test.each([
    ['PATH', '/bin'],
    ['NODE_OPTIONS', '--max-old-space-size=4096'],
    ['LD_PRELOAD', ''],
    ['ENVIRONMENT', 'production'],
  ])('%s=%s is none', (name, value) => {
    expect(isUserHook(name, value)).toBe(false);
  });
});
