import type { FlagName } from './flags.ts';

/** Values of flags by name, as one command line gave them. */
export class FlagValues {
  readonly #values: ReadonlyMap<FlagName, readonly string[]>;

  constructor(values: ReadonlyMap<FlagName, readonly string[]>) {
    this.#values = values;
  }

  /** Every value, in the order given. */
  all(name: FlagName): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** The value that counts where a flag is given twice. */
  last(name: FlagName): string | undefined {
    return this.all(name).at(-1);
  }

  /** Whether a switch is on. */
  on(name: FlagName): boolean {
    return this.last(name) === 'true';
  }

  /** The last value understood by `parse`. */
  parsed<T>(name: FlagName, parse: (text: string) => T): T | undefined {
    const text = this.last(name);
    return text === undefined ? undefined : parse(text);
  }

  /** `fields` without those that are undefined. */
  given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
    const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
    return Object.assign(present, Object.fromEntries(entries));
  }
}
