import type { Command } from 'commander';

import { type Flag, FLAGS } from './flags.ts';

/** Gives the help of `run` its flags, from the same table that its parser reads. */
export function describeRun(command: Command): void {
  command.description('run a container image under policy').argument('<image>').argument('[command...]');
  for (const [name, flag] of Object.entries<Flag>(FLAGS)) {
    if (name === 'help') continue;
    const short = flag.short === undefined ? '' : `-${flag.short}, `;
    // The grammar goes into the description: commander would read its | and , as further flags.
    const value = flag.value === undefined ? '' : ' <value>';
    const help = flag.value === undefined ? flag.help : `${flag.value}: ${flag.help}`;
    command.option(`${short}--${name}${value}`, help);
  }
  // -h is --hostname here, as with docker.
  command.helpOption('--help', 'print this');
}
