/** A run of ports, both ends included. */
export interface PortSpan {
  readonly from: number;
  readonly to: number;
}

/** Ports as policies write them, as sorted spans that neither touch nor overlap. */
export function portSpans(rules: readonly (number | string)[]): readonly PortSpan[] {
  const spans = rules.map((rule) => {
    const [from = 0, to = from] = typeof rule === 'number' ? [rule] : rule.split('-').map(Number);
    return { from, to };
  });
  const merged: PortSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1);
    if (last === undefined || span.from > last.to + 1) merged.push(span);
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to };
  }
  return merged;
}

/** The ports of `spans` that are not in `taken`, which may be in any order. */
export function withoutPorts(spans: readonly PortSpan[], taken: readonly number[]): readonly PortSpan[] {
  let left = [...spans];
  for (const port of taken) {
    left = left.flatMap(({ from, to }) => {
      if (port < from || port > to) return [{ from, to }];
      return [
        { from, to: port - 1 },
        { from: port + 1, to },
      ].filter((span) => span.from <= span.to);
    });
  }
  return left;
}

/** The ports of `spans` that are in `wanted`. */
export function onlyPorts(spans: readonly PortSpan[], wanted: readonly number[]): readonly PortSpan[] {
  return portSpans(wanted.filter((port) => spans.some(({ from, to }) => port >= from && port <= to)));
}

/** `80,443,8000-8010`, as nft and people read it. */
export function spansText(spans: readonly PortSpan[]): string {
  return spans.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}
