import { UcpError } from '../../core/errors.ts';
import type { Sandbox } from './sandbox.ts';

/** All sandboxes that the control plane knows, by id and by name. */
export class SandboxRegistry {
  readonly #byId = new Map<string, Sandbox>();
  readonly #reserved = new Set<string>();

  add(sandbox: Sandbox): void {
    this.#byId.set(sandbox.id, sandbox);
  }

  delete(sandbox: Sandbox): void {
    this.#byId.delete(sandbox.id);
  }

  all(): readonly Sandbox[] {
    return [...this.#byId.values()];
  }

  byId(sandboxId: string): Sandbox | undefined {
    return this.#byId.get(sandboxId);
  }

  byName(name: string): Sandbox | undefined {
    return this.all().find((sandbox) => sandbox.record.name === name);
  }

  /** The sandbox of an id known from the protocol. Throws SANDBOX_UNKNOWN. */
  require(sandboxId: string): Sandbox {
    const sandbox = this.byId(sandboxId);
    if (sandbox === undefined) throw unknown(sandboxId);
    return sandbox;
  }

  /** The sandbox that a person means: name, sandbox id, container id or a prefix of it that only one has. */
  find(word: string): Sandbox {
    const exact = this.byName(word) ?? this.byId(word);
    if (exact !== undefined) return exact;
    const near = word.length < 4 ? [] : this.all().filter(({ containerId }) => containerId?.startsWith(word) === true);
    if (near.length !== 1 || near[0] === undefined) throw unknown(word);
    return near[0];
  }

  /**
   * Takes `name`, after waiting for what has it and is on its way out; the returned function gives it back, at the
   * latest when a sandbox of that name was added. Throws NAME_IN_USE when the name is taken to stay.
   */
  async reserve(name: string): Promise<() => void> {
    for (;;) {
      const taken = this.byName(name);
      if ((taken !== undefined && !taken.leaving) || this.#reserved.has(name)) {
        throw new UcpError(
          'NAME_IN_USE',
          `A sandbox named ${name} exists${taken === undefined ? '' : ` (${taken.id})`}: choose another --name, or remove it.`,
        );
      }
      if (taken === undefined) break;
      await taken.gone.settled();
    }
    this.#reserved.add(name);
    return () => this.#reserved.delete(name);
  }

  /** Resolves when no sandbox has `name`. */
  async settled(name: string): Promise<void> {
    for (let left = this.byName(name); left !== undefined; left = this.byName(name)) await left.gone.settled();
  }
}

function unknown(word: string): UcpError {
  return new UcpError(
    'SANDBOX_UNKNOWN',
    `No sandbox ${JSON.stringify(word)} is known here; \`ucp-sandbox ps --all\` lists them.`,
  );
}
