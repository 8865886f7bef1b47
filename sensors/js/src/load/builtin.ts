import module from 'node:module';

/** Taken before any hook wraps it. Since: 20.16, 22.3; before them `require`, which the program's hooks may see. */
const load: unknown = Reflect.get(process, 'getBuiltinModule');
const require = module.createRequire('/');

/**
 * A module of Node's, loaded at the first use and not with the preload: programs that don't need it don't pay for it.
 * `name` with its `node:`.
 */
export function builtin(name: string): unknown {
  return typeof load === 'function' ? (load.call(process, name) as unknown) : (require(name) as unknown);
}
