import { UcpError } from '../../core/errors.ts';
import type { EventSink, NewEvent } from '../../core/events.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SecretRequest, SecretValues } from '../../core/secrets.ts';

/** Shorter values stand in too many texts by chance. */
const SHORTEST = 4;
const REDACTED = '[secret]';

/**
 * Values of sandboxes' secrets, in memory and nowhere else: what this control plane has forgotten by its end, somebody
 * has to give again.
 */
export class Vault {
  readonly #sandboxes = new Map<string, ReadonlyMap<string, Buffer>>();

  /** Keeps the values of a sandbox, in place of those of before. */
  put(sandboxId: string, values: SecretValues): void {
    const entries = Object.entries(values).map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
    if (entries.length > 0) this.#sandboxes.set(sandboxId, new Map(entries));
  }

  forget(sandboxId: string): void {
    for (const value of this.#sandboxes.get(sandboxId)?.values() ?? []) value.fill(0);
    this.#sandboxes.delete(sandboxId);
  }

  /** The value of each secret that is wanted. Throws SECRETS_MISSING. */
  of(sandboxId: string, name: string, wanted: readonly SecretRequest[]): readonly (readonly [SecretRequest, Buffer])[] {
    const values = this.#sandboxes.get(sandboxId);
    return wanted.map((secret) => {
      const value = values?.get(secret.name);
      if (value !== undefined) return [secret, value] as const;
      throw new UcpError(
        'SECRETS_MISSING',
        `The secret ${secret.name} of ${name} is not known to this control plane, which keeps secrets in memory only: give it again with \`ucp-sandbox restart ${name}\`.`,
      );
    });
  }

  /** The same sink, without the values of a sandbox's secrets in what it says of that sandbox. */
  redacting(events: EventSink): EventSink {
    return { emit: (event) => events.emit(this.#redacted(event)) };
  }

  #redacted(event: NewEvent): NewEvent {
    const values = event.sandbox === undefined ? undefined : this.#sandboxes.get(event.sandbox.sandbox_id);
    if (values === undefined) return event;
    const texts = [...values.values()].map((value) => value.toString('utf8').trim());
    const secrets = texts.filter((text) => text.length >= SHORTEST);
    const { body, attributes, violation } = event;
    return {
      ...event,
      body: clean(body, secrets),
      ...(attributes === undefined ? {} : { attributes: clean(attributes, secrets) }),
      ...(violation === undefined ? {} : { violation: { ...violation, message: without(violation.message, secrets) } }),
    };
  }
}

function clean(object: JsonObject, secrets: readonly string[]): JsonObject {
  const walk = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return without(value, secrets);
    if (typeof value !== 'object' || value === null) return value;
    return isList(value) ? value.map(walk) : clean(value, secrets);
  };
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [without(key, secrets), walk(item)]));
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
}
