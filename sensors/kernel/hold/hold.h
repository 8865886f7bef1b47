/*
 * ucp-hold: a second owner of what the execs of enforced sandboxes wait at. As long as one of the two lives, the kernel
 * lets nothing pass: what is asked while ucp-kernel is dead waits for the next one, which takes the descriptors from
 * here. It reads nothing, answers nothing and decides nothing.
 *
 * The protocol is that of ucp-kernel (exec/kernel.h: framing, hello, answers, codes):
 *
 *   hello {protocol: 1} → {protocol, sandboxes: [{sandbox, pid, place, state, group, guard}]}
 *       what is held, as ucp-kernel's `attach` takes it
 *   hold {sandbox, pid, place, state, group, guard} → {}
 *       takes these descriptors from process `pid`; what was held of the sandbox is let go of
 *   release {sandbox} → {}
 *       lets go of it, if anything is held
 */
#ifndef UCP_HOLD_H
#define UCP_HOLD_H

#include "common.h"

#define NAME_MAX_BYTES 255

/* One sandbox. */
struct held {
	struct held *next;
	char name[NAME_MAX_BYTES + 1];
	json_int_t place; /* within `state`, which is ucp-kernel's own business */
	int state;
	int group;
	int guard;
};

/* held.c */
extern struct held *all;
bool held_take(const char *name, int pid, const struct held *theirs, struct failure *why);
void held_release(const char *name);

#endif
