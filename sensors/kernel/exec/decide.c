#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef FAN_MARK_EVICTABLE
#define FAN_MARK_EVICTABLE 0x00000200
#endif

/*
 * A group of fanotify, or -1. One that is asked before others (`first`) has no mark in what those are asked: so when
 * all who have them die at once, the kernel can end the first ones without waiting for the others. It ends those with
 * the highest numbers first.
 */
int decide_group(bool first)
{
	int class = first ? FAN_CLASS_PRE_CONTENT : FAN_CLASS_CONTENT;
	unsigned int flags =
	    (unsigned int)class | FAN_CLOEXEC | FAN_NONBLOCK | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS;
	int group;

	bool again;

	do {
		group = fanotify_init(flags, O_RDONLY | O_LARGEFILE | O_CLOEXEC);
		again = group < 0 && errno == EMFILE && limit_raise();
	} while (again);
	int high = group < 0 || !first ? -1 : fcntl(group, F_DUPFD_CLOEXEC, FIRST_NUMBER);

	if (high < 0)
		return group;
	close(group);
	return high;
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
	why->origin = file.origin;
	if (known && known->standing == STANDING_DENIED) {
		why->rule = known->rule;
		why->name = known->name;
		return true;
	}
	if (!path) {
		why->list = LIST_PATH;
		return true;
	}
	size_t length = text_decode(path, strlen(path), text);

	why->rule = rules_find(&sandbox->policy.deny, text, length);
	if (why->rule != RULE_NONE) {
		identities_put(&sandbox->files, &file.id, STANDING_DENIED, why->rule, NULL);
		if (sandbox->policy.enforce)
			decide_guard(sandbox->kept->guard, fd);
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

static enum outcome outcome_of(const struct sandbox *sandbox)
{
	return sandbox->policy.enforce ? OUTCOME_DENIED : OUTCOME_OBSERVED;
}

static enum outcome judge_exec(struct sandbox *sandbox, int fd, const char *path, struct violation *why)
{
	if (denied(sandbox, fd, path, why))
		return outcome_of(sandbox);
	/* What is written through mapped memory the kernel tells nobody: where it matters, each exec asks. */
	if (!sandbox->policy.deny_drift || file_is_fixed(fd))
		ignore(sandbox->kept->group, fd);
	return OUTCOME_ALLOWED;
}

/*
 * Asked about a guarded file. The guard is the verdict, whatever the file's name and number are now, unless it is from
 * a policy that went further than this one: then it is lifted where this one does not deny the file.
 */
static enum outcome judge_open(struct sandbox *sandbox, int fd, const char *path, struct violation *why)
{
	struct file file;
	char text[TEXT_BYTES];
	bool seen = file_look(sandbox, fd, path, &file);
	const struct known *known = seen ? known_file(sandbox, &file.id) : NULL;

	*why = (struct violation){ .sandbox = sandbox, .path = path, .rule = RULE_NONE, .read = true };
	why->origin = seen ? file.origin : ORIGIN_UNKNOWN;
	if (known && known->standing == STANDING_DENIED)
		why->rule = known->rule, why->name = known->name;
	else if (path)
		why->rule = rules_find(&sandbox->policy.deny, text, text_decode(path, strlen(path), text));
	bool vain = sandbox->policy.deny.present && seen && why->rule == RULE_NONE;

	if (sandbox->kept->stale && (vain || !sandbox->policy.enforce)) {
		fanotify_mark(sandbox->kept->guard, FAN_MARK_REMOVE, FAN_OPEN_PERM, fd, NULL);
		return OUTCOME_ALLOWED;
	}
	return outcome_of(sandbox);
}

static void answer(int group, int fd, bool allow)
{
	struct fanotify_response response = { .fd = fd, .response = allow ? FAN_ALLOW : FAN_DENY };

	/* The asker was killed meanwhile: nobody waits. */
	if (write(group, &response, sizeof(response)) < 0 && errno != ENOENT)
		say("an answer was not taken", strerror(errno));
}

/* Judges and reports; what the outcome is, and the count that it makes, is noted before it counts. */
static void weigh(struct sandbox *sandbox, const struct fanotify_event_metadata *event, size_t number)
{
	char path[PATH_BYTES];
	struct violation why;
	enum outcome outcome = OUTCOME_FOREIGN;

	if (asker_is_inside(event->pid, sandbox->kept->pidns)) {
		const char *name = file_path(event->fd, path) ? path : NULL;

		outcome = (hand->guarded ? judge_open : judge_exec)(sandbox, event->fd, name, &why);
	}
	hand->outcome = outcome;
	hand->count = sandbox->kept->outcomes[outcome] + 1;
	hand->counted = number;
	if (outcome == OUTCOME_FOREIGN || outcome == OUTCOME_ALLOWED)
		return;
	why.pid = event->pid;
	report_violation(&why);
}

/* Answers what is in hand, each once, whichever decider took it. An event without a file was denied by the kernel. */
void decide_hand(struct sandbox *sandbox)
{
	struct kept *kept = sandbox->kept;

	for (size_t number = 1; number <= HAND_EVENTS && hand->events[number - 1].event_len; number++) {
		struct fanotify_event_metadata *event = &hand->events[number - 1];
		int fd = event->fd;

		if (fd < 0)
			continue;
		if (hand->counted != number)
			weigh(sandbox, event, number);
		kept->outcomes[hand->outcome] = hand->count;
		answer(hand->guarded ? kept->guard : kept->group, fd, hand->outcome != OUTCOME_DENIED);
		atomic_signal_fence(memory_order_seq_cst);
		event->fd = FAN_NOFD;
		close(fd);
	}
	hand->of = NULL;
}

/* Answers what is asked now; returns to let others have their turn. */
static void serve(struct sandbox *sandbox, bool guarded)
{
	memset(hand, 0, sizeof(*hand));
	hand->place = kept_place(sandbox->kept);
	atomic_signal_fence(memory_order_seq_cst);
	hand->of = sandbox->kept;
	hand->guarded = guarded;
	atomic_signal_fence(memory_order_seq_cst);
	if (read(guarded ? sandbox->kept->guard : sandbox->kept->group, hand->events, sizeof(hand->events)) > 0)
		decide_hand(sandbox);
	else if (errno != EAGAIN && errno != EINTR)
		sandbox->kept->unopened++;
}

void decide_execs(struct sandbox *sandbox)
{
	serve(sandbox, false);
}

void decide_opens(struct sandbox *sandbox)
{
	serve(sandbox, true);
}
