/**
 * Tells of code that comes from strings or from binaries: the `Function` constructor, native addons. (`vm`: vm.ts.)
 *
 * Since: all supported Nodes.
 * Can't see: direct `eval` (a wrapper would turn it into indirect eval and break the caller's local names);
 * constructors reached through other realms; `Function` calls of modules under node_modules are not told (schema
 * compilers make dozens at start).
 */
import type { Sensor } from '../sensor.ts';
import { observed, wrap } from '../wrap.ts';
import { tellCode } from './tell-code.ts';

export function installCode(sensor: Sensor): void {
  wrap(process, 'dlopen', (original) => observed(original, (args) => tellAddon(sensor, args)));
  installFunction(sensor);
}

/** A Proxy, so that `instanceof`, `Function.prototype` and subclasses stay what they are. */
function installFunction(sensor: Sensor): void {
  const see = (): void => tellCode(sensor, 'Function');
  const proxied = new Proxy(globalThis.Function, {
    apply(target, self, args) {
      see();
      return Reflect.apply(target, self, args) as unknown;
    },
    construct(target, args, newTarget) {
      see();
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  for (const [owner, name] of [
    [globalThis, 'Function'],
    [proxied.prototype, 'constructor'],
  ] as const) {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { ...property, value: proxied });
  }
}

function tellAddon(sensor: Sensor, args: readonly unknown[]): void {
  if (!sensor.settings().runtime.code) return;
  sensor.events.emit({
    name: 'native_addon',
    domain: 'runtime',
    body: { file: String(args[1]) },
    attributes: sensor.attribution.attributes(),
  });
}
