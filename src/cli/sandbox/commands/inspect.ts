import { findSandbox, type Session } from './session.ts';

/** `inspect`: what the control plane knows of each sandbox, and the engine's own description as `container`. */
export async function inspect(session: Session, names: readonly string[]): Promise<void> {
  const shown: unknown[] = [];
  for (const name of names) {
    const sandbox = await findSandbox(session, name);
    shown.push({ ...sandbox, container: await session.engine.inspectRaw(sandbox.containerId) });
  }
  session.output.answer(shown, () => JSON.stringify(shown, null, 2));
}
