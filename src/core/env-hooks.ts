/** Variables whose every value makes a program load code that its command line does not name (EX-20). */
const HOOKS: ReadonlySet<string> = new Set([
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_PROFILE',
  'LD_DEBUG_OUTPUT',
  'GCONV_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'PYTHONSTARTUP',
  'PYTHONINSPECT',
  'PYTHONBREAKPOINT',
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'PERL5OPT',
  'PERL5DB',
  'DOTNET_STARTUP_HOOKS',
  'CORECLR_PROFILER_PATH',
  'LUA_INIT',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'GIT_PAGER',
  'GIT_EXTERNAL_DIFF',
  'GIT_PROXY_COMMAND',
  'GIT_EXEC_PATH',
  'GIT_TEMPLATE_DIR',
]);

/** Families of such variables: `BASH_FUNC_ls%%`, `GIT_CONFIG_KEY_0`, `LUA_INIT_5_4`. */
const HOOK_PREFIXES = ['BASH_FUNC_', 'GIT_CONFIG', 'LUA_INIT_'] as const;

/** Variables that are options of a runtime: only some values load code. */
const OPTION_HOOKS: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS:
    /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--experimental-require-module|--openssl-config|--openssl-shared-config|--env-file\S*|--inspect\S*)(?=[\s=]|$)/,
  RUBYOPT: /(?:^|\s)-?[rI]/,
  JAVA_TOOL_OPTIONS:
    /-javaagent|-agentlib|-agentpath|-Xbootclasspath|-XX:(?:OnError|OnOutOfMemoryError|Flags|VMOptionsFile)|@/,
};
const SAME_OPTIONS: Readonly<Record<string, string>> = {
  JDK_JAVA_OPTIONS: 'JAVA_TOOL_OPTIONS',
  _JAVA_OPTIONS: 'JAVA_TOOL_OPTIONS',
};

/** Search paths, and files that name libraries: a hook when a user points them somewhere, ordinary when an image names its own. */
const SEARCH_PATHS: ReadonlySet<string> = new Set([
  'LD_LIBRARY_PATH',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONPLATLIBDIR',
  'PERL5LIB',
  'RUBYLIB',
  'PHP_INI_SCAN_DIR',
]);

/**
 * True when an image that sets `name=value` would inject code into programs (CT-03); such values never reach the
 * workload unless the user repeats them under a policy that permits it.
 */
export function isImageHook(name: string, value: string): boolean {
  if (value === '') return false;
  const options = OPTION_HOOKS[SAME_OPTIONS[name] ?? name];
  // Node reads --experimental_loader like --experimental-loader, and --req"uire" like --require; Java takes quotes away too.
  if (options !== undefined) return options.test(value.replaceAll(/["'\\]/g, '').replaceAll('_', '-'));
  return HOOKS.has(name) || HOOK_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * True when a user's `-e name=value` injects code into programs: policy decides whether it may (EX-20). Options of a
 * runtime count whatever they say, except Node's, which agents need for their memory.
 */
export function isUserHook(name: string, value: string): boolean {
  if (value === '') return false;
  const options = name !== 'NODE_OPTIONS' && Object.hasOwn(OPTION_HOOKS, SAME_OPTIONS[name] ?? name);
  return options || SEARCH_PATHS.has(name) || isImageHook(name, value);
}
