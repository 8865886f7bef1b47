import type { Policy } from '../schema/policy.ts';
import type { Finding, Path } from './problem.ts';

type Tree = { readonly [key: string]: unknown };

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a valid document says twice and differently; each is an error, because one of the two would be silently ignored. */
export function contradictions(policy: Policy): Finding[] {
  return [...inTree(policy, [], undefined), ...inTimes(policy)];
}

/** `off` is the path of the enclosing section that is switched off. */
function* inTree(tree: Tree, path: Path, off: Path | undefined): Generator<Finding> {
  const enable = tree['enable'];
  if (enable === true && off !== undefined) {
    yield contradiction([...path, 'enable'], `this section is on, but "${off.join('.')}" around it is off`);
  }
  yield* inLists(tree, path);
  const inner = enable === false ? (off ?? path) : off;
  for (const [key, value] of Object.entries(tree)) {
    if (isTree(value)) yield* inTree(value, [...path, key], inner);
  }
}

function* inLists(tree: Tree, path: Path): Generator<Finding> {
  const { allow_list: allowed, deny_list: denied } = tree;
  if (!Array.isArray(allowed) || !Array.isArray(denied)) return;
  const all: ReadonlySet<unknown> = new Set(denied);
  for (const [index, entry] of allowed.entries()) {
    if (all.has(entry)) {
      yield contradiction([...path, 'allow_list', index], `${JSON.stringify(entry)} is in allow_list and in deny_list`);
    }
  }
}

function* inTimes({ issued_at: issued, expires_at: expires }: Policy): Generator<Finding> {
  if (issued !== undefined && expires !== undefined && Date.parse(expires) <= Date.parse(issued)) {
    yield contradiction(['expires_at'], `the policy expires at ${expires}, not after it was issued at ${issued}`);
  }
}

const contradiction = (path: Path, message: string): Finding => ({ code: 'POLICY_CONTRADICTION', path, message });
