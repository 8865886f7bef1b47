#include "hold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct held *all;

/* Groups that may be the last of their kind end in processes of their own: whoever closes one may wait for long. */
static void let_go(const struct held *held)
{
	close_later(held->group);
	close_later(held->guard);
	if (held->state >= 0)
		close(held->state);
}

/* Takes what the process has, in place of what is held of the sandbox. On failure nothing changes. */
bool held_take(const char *name, int pid, const struct held *theirs, struct failure *why)
{
	struct held taken = { .place = theirs->place, .state = -1, .group = -1, .guard = -1 };

	/* The numbers are in the order in which the kernel can end groups all at once. */
	taken.group = take_group(pid, theirs->group, FIRST_NUMBER);
	taken.guard = taken.group < 0 ? -1 : take_group(pid, theirs->guard, 0);
	taken.state = taken.guard < 0 ? -1 : take_descriptor(pid, theirs->state, 0);
	if (taken.state < 0) {
		fail(why, "KERNEL_PROCESS_UNKNOWN", "/pid", "the descriptors of process %d can't be taken: %s", pid,
		     strerror(errno));
		let_go(&taken);
		return false;
	}
	held_release(name);
	snprintf(taken.name, sizeof(taken.name), "%s", name);
	taken.next = all;
	all = must(malloc(sizeof(*all)));
	*all = taken;
	return true;
}

/* What the sandbox waits at may be let go of, too, by whoever else has it: then nothing waits any more. */
void held_release(const char *name)
{
	struct held **at = &all;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (!*at)
		return;
	struct held *held = *at;

	*at = held->next;
	let_go(held);
	free(held);
}
