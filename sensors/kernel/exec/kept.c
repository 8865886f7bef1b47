#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static struct shared *shared;
static int state = -1; /* the same as a file: who takes over after our end reads it */

struct hand *hand;

/* Before the first decider is there. Pages that no sandbox needs are never made. */
void kept_setup(void)
{
	struct rlimit limit;

	state = memfd_create("ucp-state", MFD_CLOEXEC);
	if (state < 0 || ftruncate(state, sizeof(*shared)) < 0)
		die("memfd_create", strerror(errno));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, state, 0);
	if (shared == MAP_FAILED)
		die("mmap", strerror(errno));
	shared->layout = sizeof(*shared);
	hand = &shared->hand;
	/* A file of an event that has no descriptor is denied. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* A place for a sandbox, or NULL. */
struct kept *kept_new(const char *name, pid_t pid)
{
	for (struct kept *kept = shared->kept; kept < shared->kept + KEPT_MAX; kept++) {
		if (kept->state != KEPT_FREE)
			continue;
		memset(kept, 0, sizeof(*kept));
		snprintf(kept->name, sizeof(kept->name), "%s", name);
		kept->pid = pid;
		kept->group = kept->guard = kept->pidns = kept->request = -1;
		kept->state = KEPT_BEGUN;
		return kept;
	}
	return NULL;
}

size_t kept_place(const struct kept *kept)
{
	return (size_t)(kept - shared->kept);
}

/* What ucp-hold needs to keep the sandbox's questions waiting beyond our end. */
json_t *kept_handles(const struct kept *kept)
{
	return json_pack("{s:i, s:I, s:i, s:i, s:i}", "pid", (int)keeper, "place", (json_int_t)kept_place(kept),
			 "state", state, "group", kept->group, "guard", kept->guard);
}

/* The sandboxes that are attached, beginning with NULL. */
struct kept *kept_next(struct kept *after)
{
	for (struct kept *at = after ? after + 1 : shared->kept; at < shared->kept + KEPT_MAX; at++) {
		if (at->state == KEPT_ATTACHED)
			return at;
	}
	return NULL;
}

/* From here on the next decider goes on with this policy. */
void kept_commit(struct kept *kept, const json_t *request, const struct policy *policy)
{
	int before = kept->request;
	int text = memfd_create("ucp-request", MFD_CLOEXEC);

	if (text < 0 || json_dumpfd(request, text, JSON_COMPACT) < 0)
		die("a policy can't be kept", strerror(errno));
	kept->enforce = policy->enforce;
	kept->request = text;
	kept->stale = policy->stale;
	kept->state = KEPT_ATTACHED;
	if (before >= 0)
		close(before);
}

/* Lets the kernel allow what waits, and everything after it. */
void kept_drop(struct kept *kept)
{
	kept->state = KEPT_BEGUN;
	close_later(kept->group);
	close_later(kept->guard);
	if (kept->pidns >= 0)
		close(kept->pidns);
	if (kept->request >= 0)
		close(kept->request);
	kept->state = KEPT_FREE;
}

/* Lets go of all sandboxes at once; the process is to end then. */
void kept_release(void)
{
	for (struct kept *kept = shared->kept; kept < shared->kept + KEPT_MAX; kept++) {
		if (kept->state == KEPT_FREE)
			continue;
		close_later(kept->group);
		close_later(kept->guard);
	}
}

static bool in_hand(int fd)
{
	for (size_t index = 0; index < HAND_EVENTS && hand->events[index].event_len; index++) {
		if (hand->events[index].fd == fd)
			return true;
	}
	return false;
}

static bool is_kept(int fd)
{
	if (fd <= STDERR_FILENO || fd == state || fd == client_descriptor())
		return true;
	for (const struct kept *kept = kept_next(NULL); kept; kept = kept_next((struct kept *)kept)) {
		if (fd == kept->group || fd == kept->guard || fd == kept->pidns || fd == kept->request)
			return true;
	}
	return hand->of && hand->of->state == KEPT_ATTACHED && in_hand(fd);
}

/* Ends what a dead decider had begun and left. */
void kept_sweep(void)
{
	DIR *open = opendir("/proc/self/fd");
	int *left = NULL;
	size_t count = 0;
	struct dirent *next;

	if (!open)
		die("/proc/self/fd", strerror(errno));
	while ((next = readdir(open))) {
		int fd = next->d_name[0] == '.' ? -1 : atoi(next->d_name);

		if (fd < 0 || fd == dirfd(open) || is_kept(fd))
			continue;
		left = must(realloc(left, (count + 1) * sizeof(*left)));
		left[count++] = fd;
	}
	closedir(open);
	while (count > 0) {
		count--;
		if (is_group(left[count]))
			close_later(left[count]);
		else
			close(left[count]);
	}
	free(left);
	for (struct kept *kept = shared->kept; kept < shared->kept + KEPT_MAX; kept++) {
		if (kept->state == KEPT_BEGUN)
			kept->state = KEPT_FREE;
	}
}
