import { UcpError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { HelperLink } from '../helper/link.ts';
import { expectProbe, type TryExec } from './canary.ts';
import { type Handles, isHandles } from './holding.ts';
import { asParams, CANARY_RULES, type KernelRules, policyPointer, PROBE } from './rules.ts';

/** One sandbox as the helper knows it. */
export interface Target {
  readonly sandbox: string;
  /** Of its first process, as the host sees it. */
  readonly pid: number;
}

/**
 * Puts rules in force at a start, before the workload runs. In enforce mode the control is proven on the way. Resolves
 * with what ucp-hold can take.
 */
export async function attachAtStart(
  link: HelperLink,
  target: Target,
  rules: KernelRules,
  generation: number,
  tryExec: TryExec,
): Promise<Handles> {
  // Of an earlier start, whose end nobody saw.
  await detach(link, target.sandbox);
  try {
    if (rules.mode === 'observe') {
      return handlesOf(await ask(link, 'attach', { ...target, ...asParams(rules, generation) }));
    }
    await expectProbe(tryExec, 'allowed');
    await ask(link, 'attach', { ...target, ...asParams(CANARY_RULES, generation) });
    await expectProbe(tryExec, 'denied');
    const answer = await update(link, target.sandbox, rules, generation);
    if (!probeIsDenied(rules)) await expectProbe(tryExec, 'allowed');
    return handlesOf(answer);
  } catch (thrown) {
    await detach(link, target.sandbox).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Puts rules in force for a workload that runs: what is attached is changed, what is not is attached, to what was `held`
 * since an earlier helper died. Resolves with what ucp-hold can take.
 */
export async function attachRunning(
  link: HelperLink,
  target: Target,
  rules: KernelRules,
  generation: number,
  held: () => Promise<Handles | undefined>,
): Promise<Handles> {
  try {
    return handlesOf(await update(link, target.sandbox, rules, generation));
  } catch (thrown) {
    if (!(thrown instanceof UcpError) || thrown.code !== 'KERNEL_SANDBOX_UNKNOWN') throw thrown;
    const handles = await held();
    const params = { ...target, ...asParams(rules, generation), ...(handles === undefined ? {} : { held: handles }) };
    return handlesOf(complete(await ask(link, 'attach', params), rules));
  }
}

function handlesOf({ held }: JsonObject): Handles {
  return isHandles(held) ? held : {};
}

async function update(link: HelperLink, sandbox: string, rules: KernelRules, generation: number): Promise<JsonObject> {
  return complete(await ask(link, 'update', { sandbox, ...asParams(rules, generation) }), rules);
}

/** Takes the rules off; one that has none is no error. */
export async function detach(link: HelperLink, sandbox: string): Promise<void> {
  try {
    await link.request('detach', { sandbox });
  } catch (thrown) {
    if (!(thrown instanceof UcpError) || thrown.code !== 'KERNEL_SANDBOX_UNKNOWN') throw thrown;
  }
}

/** A refusal names the place in the policy document. */
async function ask(link: HelperLink, op: string, params: JsonObject): Promise<JsonObject> {
  try {
    return await link.request(op, params);
  } catch (thrown) {
    if (!(thrown instanceof UcpError) || thrown.pointer === undefined) throw thrown;
    const pointer = policyPointer(thrown.pointer);
    throw new UcpError(thrown.code, thrown.message, {
      cause: thrown,
      ...(pointer.startsWith('/exec') ? { pointer } : {}),
    });
  }
}

/** A denied file that was not found could be read and copied: not enough to be called enforced. */
function complete(answer: JsonObject, { mode }: KernelRules): JsonObject {
  if (mode === 'observe' || answer['complete'] !== false) return answer;
  throw new UcpError(
    'CONTROL_UNPROVEN',
    'The file systems of the sandbox have more files than the helper looks through, so a denied one could be missed: deny by narrower globs, or mount less.',
  );
}

function probeIsDenied({ deny }: KernelRules): boolean {
  return deny.some((source) => new RegExp(source, 'u').test(PROBE));
}
