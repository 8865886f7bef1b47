/** A set or map of nft. */
export interface NftSet {
  readonly kind: 'set' | 'map';
  readonly name: string;
  /** What stands before the elements: `type mark; counter;`. */
  readonly spec: string;
  /** As nft reads them; in an order that does not matter. Those with a timeout come and go and are not here. */
  readonly elements: readonly string[];
}

/** A chain of nft. */
export interface NftChain {
  readonly name: string;
  /** Of a base chain: type, hook, priority and policy. */
  readonly hook: string | undefined;
  readonly rules: readonly string[];
}

/** The table of one sandbox. */
export interface NftTable {
  readonly sets: readonly NftSet[];
  readonly counters: readonly string[];
  readonly chains: readonly NftChain[];
}

/** Takes the table away: a sandbox without rules. */
export const NO_TABLE = 'add table inet ucp\ndelete table inet ucp\n';

/** The transaction that replaces whatever is there by `table`. */
export function tableText({ sets, counters, chains }: NftTable): string {
  return [
    NO_TABLE.trimEnd(),
    'table inet ucp {',
    ...sets.map((set) => `  ${set.kind} ${set.name} ${setBody(set)}`),
    ...counters.map((name) => `  counter ${name} { }`),
    ...chains.flatMap(chainLines),
    '}',
    '',
  ].join('\n');
}

/**
 * The transaction that makes `after` of `before`: what both have stays, counts and elements with a timeout too.
 * Undefined where only {@link tableText} can do it.
 */
export function tableChange(before: NftTable, after: NftTable): string | undefined {
  if (frame(before) !== frame(after)) return undefined;
  const old = new Map(before.sets.map((set) => [set.name, set]));
  const kept = after.sets.filter(({ name }) => old.has(name));
  const names = new Set(after.sets.map(({ name }) => name));
  if (kept.some((set) => old.get(set.name)?.spec !== set.spec)) return undefined;
  return [
    ...after.chains.map(({ name }) => `flush chain inet ucp ${name}`),
    ...before.sets.filter(({ name }) => !names.has(name)).map(({ kind, name }) => `delete ${kind} inet ucp ${name}`),
    ...after.sets
      .filter(({ name }) => !old.has(name))
      .map((set) => `add ${set.kind} inet ucp ${set.name} ${setBody(set)}`),
    ...kept.flatMap((set) => elementLines(set.name, old.get(set.name)?.elements ?? [], set.elements)),
    'table inet ucp {',
    ...after.chains.flatMap(chainLines),
    '}',
    '',
  ].join('\n');
}

/** What can't be changed in a table that is there. */
function frame({ chains, counters }: NftTable): string {
  return JSON.stringify([chains.map(({ name, hook }) => [name, hook]), counters]);
}

function setBody({ spec, elements }: NftSet): string {
  return `{ ${spec}${elements.length === 0 ? '' : ` elements = { ${elements.join(', ')} }`} }`;
}

function elementLines(name: string, before: readonly string[], after: readonly string[]): readonly string[] {
  if (before === after) return [];
  const [gone, added] = [without(before, after), without(after, before)];
  return [
    ...(gone.length === 0 ? [] : [`delete element inet ucp ${name} { ${gone.join(', ')} }`]),
    ...(added.length === 0 ? [] : [`add element inet ucp ${name} { ${added.join(', ')} }`]),
  ];
}

function without(all: readonly string[], taken: readonly string[]): readonly string[] {
  const known = new Set(taken);
  return all.filter((one) => !known.has(one));
}

function chainLines({ name, hook, rules }: NftChain): readonly string[] {
  return [
    `  chain ${name} {`,
    ...(hook === undefined ? [] : [`    ${hook};`]),
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}
