import type { JsonValue } from '../../core/json.ts';
import type { Draft } from './draft.ts';

const NAMESPACES = { pid_ns: 'pid', user_ns: 'user' } as const;

/** `bind_mount`, `pid_ns` and `user_ns` → `volumes` and `namespaces`; the section is in force, as it was there. */
export function normaliseOptions(draft: Draft): void {
  const options = draft.object(['options']);
  if (options === undefined || !['bind_mount', ...Object.keys(NAMESPACES)].some((key) => Object.hasOwn(options, key))) {
    return;
  }
  for (const [key, name] of Object.entries(NAMESPACES)) {
    if (!draft.has(['options', key])) continue;
    if (draft.has(['options', 'namespaces', name])) {
      draft.ambiguous(['options', key], `"${key}" and namespaces.${name} are both here; keep one`);
      draft.drop(['options', key], 'ambiguous');
    } else draft.move(['options', key], ['options', 'namespaces', name], 'namespaces stand together');
  }
  bindMount(draft);
  for (const key of ['enable', 'remediate']) {
    if (!draft.has(['options', key])) {
      draft.set(['options', key], true, ['options'], 'options of that layout are always in force');
    }
  }
}

function bindMount(draft: Draft): void {
  const path = ['options', 'bind_mount'];
  if (!draft.has(path)) return;
  const mount = draft.object(path);
  if (draft.has(['options', 'volumes'])) {
    draft.ambiguous(path, '"bind_mount" and "volumes" are both here; keep one');
  } else if (mount === undefined || typeof mount['enable'] !== 'boolean') {
    draft.ambiguous(path, 'expected "bind_mount" to say "enable": true or false');
  } else if (mount['enable']) allowMounts(draft, [...path, 'mounts'], mount['mounts'] ?? []);
  else draft.set(['options', 'volumes', 'allow_list'], [], path, 'bind mounts are off: no host path may be mounted');
  if (mount?.['mount_proc'] === false) {
    draft.unsupported([...path, 'mount_proc'], 'a sandbox always has its own /proc; remove "mount_proc": false');
  }
  draft.drop(path, 'said by volumes');
}

/** Entries: `/host/path`, or `/host/path:/target[:ro|:rw]`; read-only unless `:rw`. */
function allowMounts(draft: Draft, path: readonly string[], mounts: JsonValue): void {
  const allowed: string[] = [];
  const writable: string[] = [];
  for (const [index, entry] of (Array.isArray(mounts) ? (mounts as readonly JsonValue[]) : [mounts]).entries()) {
    const match = typeof entry === 'string' ? /^(\/[^:]*)(?::\/[^:]*)?(?::(ro|rw))?$/.exec(entry) : null;
    if (match?.[1] === undefined) {
      draft.unsupported([...path, String(index)], 'expected "/host/path" or "/host/path:/target[:ro|:rw]"');
      continue;
    }
    // A path is not a glob: what would be special in one stands for itself.
    const glob = match[1].replaceAll(/[\\*?[\]{}()!+@]/g, String.raw`\$&`);
    allowed.push(glob);
    if (match[2] === 'rw') writable.push(glob);
  }
  draft.set(['options', 'volumes', 'allow_list'], allowed, path, 'the mounts named are the ones that may be asked for');
  draft.set(['options', 'volumes', 'writable'], writable, path, 'only ":rw" mounts may be writable');
}
