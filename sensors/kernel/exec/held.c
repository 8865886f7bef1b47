#include "kernel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Of ucp-hold, where it has what an ucp-kernel before us left. */
struct handles {
	int pid;
	json_int_t place;
	int state;
	int group;
	int guard;
};

static bool gone(struct failure *why, const char *pointer)
{
	return fail(why, "KERNEL_HELD_GONE", pointer, "what is held can't be taken: %s", strerror(errno));
}

/* Answers what the dead one had read of this sandbox. Its files are gone with it: what it had not judged is denied. */
static void answer_left(struct kept *kept, const struct hand *left)
{
	for (size_t number = 1; number <= HAND_EVENTS && left->events[number - 1].event_len; number++) {
		const struct fanotify_event_metadata *event = &left->events[number - 1];
		bool judged = left->counted == number && left->outcome < OUTCOMES;
		bool allowed = judged && left->outcome != OUTCOME_DENIED;
		struct fanotify_response response = { .fd = event->fd, .response = allowed ? FAN_ALLOW : FAN_DENY };

		if (event->fd < 0)
			continue;
		if (judged)
			kept->outcomes[left->outcome] = left->count;
		if (write(left->guarded ? kept->guard : kept->group, &response, sizeof(response)) > 0 && !judged)
			kept->unopened++;
	}
}

/* Goes on with the counts; a state of another version says nothing. */
static void resume(struct kept *kept, int state, size_t place)
{
	size_t layout;
	struct hand left;
	struct kept before;

	if (pread(state, &layout, sizeof(layout), offsetof(struct shared, layout)) != sizeof(layout) ||
	    layout != sizeof(struct shared) ||
	    pread(state, &left, sizeof(left), offsetof(struct shared, hand)) != sizeof(left) ||
	    pread(state, &before, sizeof(before), (off_t)(offsetof(struct shared, kept) + place * sizeof(before))) !=
		sizeof(before) ||
	    strncmp(before.name, kept->name, sizeof(before.name)) != 0)
		return;
	for (int outcome = 0; outcome < OUTCOMES; outcome++)
		kept->outcomes[outcome] = before.outcomes[outcome];
	memcpy(kept->lost, before.lost, sizeof(kept->lost));
	memcpy(kept->lost_told, before.lost_told, sizeof(kept->lost_told));
	kept->told = before.told;
	kept->unopened = before.unopened;
	if (left.of && left.place == place)
		answer_left(kept, &left);
	report_restart(kept);
}

/* Takes over what waits for the sandbox's verdicts from ucp-hold. It is served as soon as the policy is in force. */
bool held_take(struct kept *kept, json_t *held, struct failure *why)
{
	struct handles from;
	json_error_t error;

	if (json_unpack_ex(held, &error, JSON_STRICT, "{s:i, s:I, s:i, s:i, s:i}", "pid", &from.pid, "place",
			   &from.place, "state", &from.state, "group", &from.group, "guard", &from.guard) < 0)
		return fail(why, "KERNEL_REQUEST_INVALID", "/held", "%s", error.text);
	if (from.pid <= 0 || from.place < 0 || from.place >= KEPT_MAX)
		return fail(why, "KERNEL_REQUEST_INVALID", "/held", "expected a process and a place below %d",
			    KEPT_MAX);
	kept->group = take_group(from.pid, from.group, FIRST_NUMBER);
	if (kept->group < 0)
		return gone(why, "/held/group");
	kept->guard = take_group(from.pid, from.guard, 0);
	if (kept->guard < 0)
		return gone(why, "/held/guard");
	/* It may have marks that this policy does not ask for. */
	kept->stale = true;
	int state = take_descriptor(from.pid, from.state, 0);

	if (state < 0)
		return gone(why, "/held/state");
	resume(kept, state, (size_t)from.place);
	close(state);
	return true;
}
