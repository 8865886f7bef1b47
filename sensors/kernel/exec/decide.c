#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

#ifndef FAN_MARK_EVICTABLE
#define FAN_MARK_EVICTABLE 0x00000200
#endif

/* A group of fanotify, or -1. */
int decide_group(void)
{
	return fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
			     O_RDONLY | O_LARGEFILE | O_CLOEXEC);
}

/*
 * From now on every open of the file asks: neither a loader nor a copy is a way around. The mark is on the inode in
 * memory, which it keeps there: it holds also where an overlay gives the file another number.
 */
void decide_guard(int guard, int fd)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fanotify_mark(guard, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, name) < 0)
		say("a denied file can't be kept from being read", strerror(errno));
}

/* Until the file changes, its execs don't ask. Where the mark can't be set they do. */
static void ignore(int group, int fd)
{
	unsigned int flags = FAN_MARK_ADD | FAN_MARK_IGNORED_MASK;

	if (fanotify_mark(group, flags | FAN_MARK_EVICTABLE, FAN_OPEN_EXEC_PERM, fd, NULL) < 0)
		fanotify_mark(group, flags, FAN_OPEN_EXEC_PERM, fd, NULL);
}

/* What is known of the file, also under the identity that it had before it was copied up. */
static const struct known *known_file(const struct sandbox *sandbox, const struct identity *id)
{
	struct identity image = { .dev = id->dev, .ino = id->ino };
	const struct known *known = identities_find(&sandbox->files, &image);

	return known ? known : identities_find(&sandbox->files, id);
}

/* Fills in why the file is denied; false: it is allowed. Deny wins. */
static bool denied(struct sandbox *sandbox, int fd, const char *path, struct violation *why)
{
	struct file file;
	char text[TEXT_BYTES];

	*why = (struct violation){ .sandbox = sandbox, .path = path, .list = LIST_PATH, .rule = RULE_NONE };
	if (!file_look(sandbox, fd, path, &file))
		return true;
	const struct known *known = known_file(sandbox, &file.id);

	why->list = LIST_DENY;
	if (known && known->standing == STANDING_DENIED) {
		why->rule = known->rule;
		return true;
	}
	if (!path) {
		why->list = LIST_PATH;
		return true;
	}
	size_t length = text_decode(path, strlen(path), text);

	why->rule = rules_find(&sandbox->policy.deny, text, length);
	if (why->rule != RULE_NONE) {
		identities_put(&sandbox->files, &file.id, STANDING_DENIED, why->rule);
		if (sandbox->policy.enforce)
			decide_guard(sandbox->guard, fd);
		return true;
	}
	why->list = LIST_DRIFT;
	if (sandbox->policy.deny_drift && file.drift)
		return true;
	why->list = LIST_ALLOW;
	if (!sandbox->policy.allow.present || (known && known->standing == STANDING_ALLOWED))
		return false;
	why->rule = rules_find(&sandbox->policy.allow, text, length);
	return why->rule < 0;
}

static bool judge_exec(struct sandbox *sandbox, const struct fanotify_event_metadata *event)
{
	char path[PATH_BYTES];
	struct violation why;

	if (!asker_is_inside(event->pid, sandbox->pidns)) {
		sandbox->counters.foreign++;
		return true;
	}
	sandbox->counters.asked++;
	if (!denied(sandbox, event->fd, file_path(event->fd, path) ? path : NULL, &why)) {
		ignore(sandbox->group, event->fd);
		return true;
	}
	why.pid = event->pid;
	return report_violation(&why);
}

/* Asked about a guarded file. The guard is the verdict: only a denied file has it. */
static bool judge_open(struct sandbox *sandbox, const struct fanotify_event_metadata *event)
{
	char path[PATH_BYTES];
	struct file file;

	if (!asker_is_inside(event->pid, sandbox->pidns)) {
		sandbox->counters.foreign++;
		return true;
	}
	sandbox->counters.asked++;
	const char *name = file_path(event->fd, path) ? path : NULL;
	const struct known *known = file_look(sandbox, event->fd, name, &file) ? known_file(sandbox, &file.id) : NULL;

	return report_violation(&(struct violation){ .sandbox = sandbox,
						     .path = name,
						     .pid = event->pid,
						     .list = LIST_DENY,
						     .rule = known ? known->rule : RULE_NONE,
						     .read = true });
}

static void answer(int group, int fd, bool allow)
{
	struct fanotify_response response = { .fd = fd, .response = allow ? FAN_ALLOW : FAN_DENY };

	/* The asker was killed meanwhile: nobody waits. */
	if (write(group, &response, sizeof(response)) < 0 && errno != ENOENT)
		say("an answer was not taken", strerror(errno));
	close(fd);
}

typedef bool judge(struct sandbox *sandbox, const struct fanotify_event_metadata *event);

/* Answers what is asked now; returns to let others have their turn. */
static void serve(int group, struct sandbox *sandbox, judge *allows)
{
	struct fanotify_event_metadata events[64];
	ssize_t length = read(group, events, sizeof(events));
	const struct fanotify_event_metadata *event = events;

	/* An event whose file can't be opened for us is denied by the kernel. */
	for (; length > 0 && FAN_EVENT_OK(event, length); event = FAN_EVENT_NEXT(event, length)) {
		if (event->fd >= 0)
			answer(group, event->fd, allows(sandbox, event));
	}
}

void decide_execs(struct sandbox *sandbox)
{
	serve(sandbox->group, sandbox, judge_exec);
}

void decide_opens(struct sandbox *sandbox)
{
	serve(sandbox->guard, sandbox, judge_open);
}
