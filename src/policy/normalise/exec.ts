import type { Draft } from './draft.ts';

/** `explicit_deny_list` (true: deny, false: allow) + `match_list` → `deny_list` or `allow_list`. */
export function normaliseExec(draft: Draft): void {
  const exec = draft.object(['exec']);
  if (exec === undefined) return;
  const { match_list: matches, explicit_deny_list: denies } = exec;
  if (matches === undefined && denies === undefined) return;
  if (draft.has(['exec', 'allow_list']) || draft.has(['exec', 'deny_list'])) {
    const key = matches === undefined ? 'explicit_deny_list' : 'match_list';
    draft.ambiguous(['exec', key], `"${key}" and allow_list or deny_list are both here; keep one way of writing it`);
    forget(draft);
    return;
  }
  if (typeof denies !== 'boolean' || matches === undefined) {
    draft.ambiguous(
      ['exec', matches === undefined ? 'explicit_deny_list' : 'match_list'],
      'expected "match_list" together with "explicit_deny_list": true (its entries are denied) or false (only they are allowed)',
    );
    forget(draft);
    return;
  }
  draft.move(
    ['exec', 'match_list'],
    ['exec', denies ? 'deny_list' : 'allow_list'],
    denies ? 'explicit_deny_list is true: the list denies' : 'explicit_deny_list is false: only the list is allowed',
  );
  draft.drop(['exec', 'explicit_deny_list'], "said by the list's name");
}

/** Takes the ambiguous keys away, so that they are not reported a second time as unknown. */
function forget(draft: Draft): void {
  for (const key of ['match_list', 'explicit_deny_list']) {
    if (draft.has(['exec', key])) draft.drop(['exec', key], 'ambiguous');
  }
}
