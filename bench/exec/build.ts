import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { make } from '../../test/images/recipe.ts';

const FILES = 60;

/** One of the sources: enough for the compiler to think about. */
const source = (at: number): string =>
  `#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint f${at}(int x) { char t[64]; snprintf(t, sizeof(t), "%d", x); return (int)strlen(t) + ${at}; }\n`;

const MAKEFILE = `OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))\nall: $(OBJECTS)\n\tar rc all.a $(OBJECTS)\n`;

/** Where the host's compiler is; mounted, so that nothing has to be installed in the image. */
export const TOOLS = ['-v', '/usr:/usr:ro'];

/** Builds a fresh copy of the project with two jobs. */
export const BUILD = 'rm -rf /tmp/p; cp -r /opt/project /tmp/p && make -s -j2 -C /tmp/p CC=gcc CFLAGS=-O1';

/** An image without programs of its own: a small C project, and the names below which the host's /usr has the rest. */
export function project(): Promise<string> {
  const fill = (root: string): void => {
    for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
    for (const name of ['usr', 'tmp', 'etc', 'opt/project']) mkdirSync(join(root, name), { recursive: true });
    for (let at = 0; at < FILES; at += 1) writeFileSync(join(root, `opt/project/f${at}.c`), source(at));
    writeFileSync(join(root, 'opt/project/Makefile'), MAKEFILE);
  };
  return make({
    name: 'exec-build',
    inputs: [source.toString(), MAKEFILE, fill.toString(), String(FILES)],
    changes: ['ENV PATH=/usr/bin', 'CMD ["sleep", "100000"]'],
    fill,
  });
}
