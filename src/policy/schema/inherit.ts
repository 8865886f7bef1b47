/** The switches of a section, as the document has them. */
export interface Switches {
  readonly enable?: boolean | undefined;
  readonly remediate?: boolean | undefined;
}

/** The switches in force after inheritance. */
export interface Mode {
  readonly enabled: boolean;
  readonly mode: 'observe' | 'enforce';
}

/**
 * Resolves inheritance along a path of sections, outermost first (`js_sensor`, `mcp`, `server`). Absent sections
 * inside say nothing; an absent outermost one means that the sensor is off. `enable: false` anywhere above wins over
 * what is below; `remediate` is the innermost one that is set, `false` when none is.
 */
export function inherit(path: readonly (Switches | undefined)[]): Mode {
  const enabled = path[0] !== undefined && path.every((section) => section?.enable !== false);
  const remediate = path.findLast((section) => section?.remediate !== undefined)?.remediate ?? false;
  return { enabled, mode: remediate ? 'enforce' : 'observe' };
}

/** What a failing sensor does: the section's `on_error`, else `block` in enforce mode and `allow` in observe mode. */
export function onErrorOf(
  section: { readonly on_error?: 'allow' | 'block' | undefined } | undefined,
  mode: Mode['mode'],
): 'allow' | 'block' {
  return section?.on_error ?? (mode === 'enforce' ? 'block' : 'allow');
}
