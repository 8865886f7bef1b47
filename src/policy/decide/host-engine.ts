import { globList } from '../glob/glob-list.ts';
import { builtinPrograms } from '../patterns/builtin.ts';
import { compileProgram } from '../regex/compile-program.ts';
import type { Engine } from './engine.ts';

/** Makes rules from their source: the control plane, the gateway and the command line use this. */
export const hostEngine: Engine = { regex: compileProgram, builtin: builtinPrograms, globs: globList };
