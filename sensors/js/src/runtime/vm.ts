/**
 * Tells of code that a program runs from text with `vm`.
 *
 * Since: all supported Nodes.
 * Can't see: `vm.SourceTextModule` (experimental), the REPL's own use.
 */
import module from 'node:module';

import { builtin } from '../load/builtin.ts';
import type { Sensor } from '../sensor.ts';
import { observed, wrap } from '../wrap.ts';
import { tellCode } from './tell-code.ts';

const FUNCTIONS = ['runInThisContext', 'runInNewContext', 'runInContext', 'compileFunction'] as const;

export function installVm(sensor: Sensor): void {
  const vm = builtin('node:vm') as typeof import('node:vm');
  for (const name of FUNCTIONS) {
    wrap(vm, name, (original) => observed(original, () => tellCode(sensor, `vm.${name}`)));
  }
  const script = new Proxy(vm.Script, {
    construct(target, args, newTarget) {
      tellCode(sensor, 'vm.Script');
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  Object.defineProperty(vm, 'Script', { value: script, writable: true, enumerable: true, configurable: true });
  module.syncBuiltinESMExports();
}
