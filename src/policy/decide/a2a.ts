import type { Policy } from '../schema/policy.ts';
import { inherit, type Mode } from '../schema/inherit.ts';
import { type Decision, permitted, quoted, violated } from './decision.ts';
import type { Engine } from './engine.ts';
import { type CompiledPatterns, compilePatterns, findings } from './patterns.ts';

/** Rules for agent cards, ready to decide. */
export interface CompiledA2a {
  readonly mode: Mode;
  readonly name: CompiledPatterns | undefined;
  readonly description: CompiledPatterns | undefined;
  readonly skill: CompiledPatterns | undefined;
}

/** What is judged of an agent card. */
export interface A2aCardQuery {
  readonly name: string;
  readonly description?: string | undefined;
  readonly skills?: readonly { readonly name?: string | undefined; readonly description?: string | undefined }[];
}

/** Prepares the rules of `/a2a`. */
export function compileA2a(policy: Pick<Policy, 'a2a'>, engine: Engine): CompiledA2a {
  const card = policy.a2a?.agent_card;
  const at = '/a2a/agent_card';
  return {
    mode: inherit([policy.a2a]),
    name: compilePatterns(card?.name, `${at}/name`, engine),
    description: compilePatterns(card?.description, `${at}/description`, engine),
    skill: compilePatterns(card?.skills?.description, `${at}/skills/description`, engine),
  };
}

/**
 * Decides on an agent card: its name, its description, then the descriptions of its skills; the first text that a
 * pattern matches decides. Cards are signed documents: `action: redact` refuses them like `block`.
 */
export function decideA2aCard(compiled: CompiledA2a, card: A2aCardQuery): Decision {
  const { enabled, mode } = compiled.mode;
  if (!enabled) return permitted('observe');
  const texts: readonly (readonly [CompiledPatterns | undefined, string | undefined, string])[] = [
    [compiled.name, card.name, 'name'],
    [compiled.description, card.description, 'description'],
    ...(card.skills ?? []).map(
      ({ name, description }) => [compiled.skill, description, `description of skill ${quoted(name ?? '')}`] as const,
    ),
  ];
  for (const [patterns, text, what] of texts) {
    if (patterns === undefined || text === undefined) continue;
    const [first] = findings(patterns, text, false);
    if (first === undefined) continue;
    return violated(mode, {
      rule: first.rule,
      what: `The ${what} of agent ${quoted(card.name)} matches ${quoted(first.name)}.`,
      brief: `talking to the agent ${quoted(card.name)}`,
      remedy: 'Use another agent, or change the rule if the text is meant to pass.',
    });
  }
  return permitted(mode);
}
