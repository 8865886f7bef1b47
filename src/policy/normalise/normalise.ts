import type { JsonValue } from '../../core/json.ts';
import type { Finding, Path } from '../parse/problem.ts';
import { normaliseExec } from './exec.ts';
import { normaliseMcp } from './mcp.ts';
import { normaliseNetwork } from './network.ts';
import { normaliseOptions } from './options.ts';
import { Draft } from './draft.ts';

/** One thing that the normaliser did. */
export interface Decision {
  /** JSON pointer in the document as written, and in the canonical one; no `to`: nothing came of it. */
  readonly from: string;
  readonly to?: string;
  readonly reason: string;
}

export interface Normalised {
  readonly canonical: JsonValue;
  readonly decisions: readonly Decision[];
  /** Ambiguities, and what has no canonical counterpart; paths in the document as written. */
  readonly findings: readonly Finding[];
  /** Where a part of the canonical document comes from. */
  sourceOf(path: Path): Path;
}

/**
 * Brings a document in one of the two public layouts (flat: `mcp`, `exec`, `options`, `network` at the top; `brace`:
 * the last three under one key, lists as `explicit_deny_list` + `match_list`) into the canonical one. A canonical
 * document comes back as it is. What could mean two things is a finding, never a guess.
 */
export function normalise(document: JsonValue): Normalised {
  const draft = new Draft(document);
  normaliseMcp(draft);
  hoistBrace(draft);
  normaliseExec(draft);
  normaliseOptions(draft);
  normaliseNetwork(draft);
  return draft;
}

/** `brace.{exec,options,network}` → the same at the top. */
function hoistBrace(draft: Draft): void {
  const brace = draft.object(['brace']);
  if (brace === undefined) return;
  for (const key of ['exec', 'options', 'network']) {
    if (!Object.hasOwn(brace, key)) continue;
    if (draft.has([key])) {
      draft.ambiguous(['brace', key], `"${key}" is here and at the top of the document; keep one`);
      draft.drop(['brace', key], 'ambiguous');
    } else draft.move(['brace', key], [key], 'sections of "brace" stand at the top');
  }
  draft.dropIfEmpty(['brace']);
}
