/** A port or a range `"8000-8999"`, as policies write them. */
export type PortRule = number | string;

/** True when `port` is in one of the rules. */
export function portIn(rules: readonly PortRule[], port: number): boolean {
  return rules.some((rule) => {
    const [from, to] = typeof rule === 'number' ? [rule, rule] : rule.split('-').map(Number);
    return from !== undefined && port >= from && port <= (to ?? from);
  });
}
