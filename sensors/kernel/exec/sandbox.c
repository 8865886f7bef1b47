#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

struct sandbox *sandboxes;

struct sandbox *sandbox_find(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->kept->name, name) != 0)
		at = at->next;
	return at;
}

void policy_free(struct policy *policy)
{
	rules_free(&policy->deny);
	rules_free(&policy->allow);
}

/* Their files are made up by the kernel and can't be executed; not all of them can be marked. */
static bool has_programs(const char *type)
{
	static const char *const made_up[] = { "proc", "sysfs", "cgroup", "cgroup2", "mqueue", "devpts" };

	for (size_t index = 0; index < sizeof(made_up) / sizeof(*made_up); index++) {
		if (strcmp(type, made_up[index]) == 0)
			return false;
	}
	return true;
}

/*
 * A mark on a whole file system also finds it under names that the container doesn't have; it may only be set on the
 * overlay, which is the container's own. A host's file system behind a volume must never ask us for everybody.
 */
static bool mark(void *context, int fd, const char *path, const char *type, struct failure *why)
{
	struct sandbox *sandbox = context;
	char name[64];
	bool own = strcmp(path, "/") == 0 && sandbox->place.overlay != 0;
	unsigned int flags = FAN_MARK_ADD | (own ? FAN_MARK_FILESYSTEM : FAN_MARK_MOUNT);

	if (!has_programs(type))
		return true;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fanotify_mark(sandbox->kept->group, flags, FAN_OPEN_EXEC_PERM, AT_FDCWD, name) < 0)
		return fail(why, "KERNEL_MOUNT_FAILED", "/pid", "%.200s (%s) can't be watched: %s", path, type,
			    strerror(errno));
	sandbox->mounts++;
	return true;
}

static bool index_mount(void *context, int fd, const char *path, const char *type, struct failure *why)
{
	(void)fd, (void)why;
	if (has_programs(type))
		walk_tree(context, path);
	return true;
}

static int open_root(pid_t pid, struct failure *why)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root < 0)
		fail(why, "KERNEL_PROCESS_UNKNOWN", "/pid", "the root of process %d can't be opened: %s", pid,
		     strerror(errno));
	return root;
}

/* Finds and guards what the policy denies. What it marks in vain stays marked. */
static bool index_files(struct sandbox *sandbox, struct walk *walk, struct failure *why)
{
	walk->root = open_root(sandbox->kept->pid, why);
	bool fine = walk->root >= 0 && mounts_each(sandbox->kept->pid, walk->root, index_mount, walk, why);

	if (fine && walk->shared.used > 0) {
		walk->links_only = true;
		walk_tree(walk, "/");
	}
	identities_free(&walk->shared);
	if (walk->root >= 0)
		close(walk->root);
	return fine;
}

/* Puts the policy in force; on failure the one before stays. Takes over what `policy` owns when it succeeds. */
bool sandbox_update(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer)
{
	struct kept *kept = sandbox->kept;
	struct identities files = { 0 };
	struct walk walk = {
		.policy = policy, .files = &files, .sandbox = sandbox, .guard = kept->guard, .complete = true
	};
	bool changes = sandbox->policy.deny.present;

	if (policy->deny_drift && sandbox->place.upper < 0)
		return fail(why, "KERNEL_DRIFT_UNKNOWN", "/drift",
			    "what was written to the container's file system can't be told");
	policy->stale = kept->stale || (changes && ((sandbox->policy.enforce && !policy->enforce) ||
						    !rules_contain(&policy->deny, &sandbox->policy.deny)));
	if (changes)
		kept->stale = true;
	if (!index_files(sandbox, &walk, why)) {
		identities_free(&files);
		return false;
	}
	policy_free(&sandbox->policy);
	identities_free(&sandbox->files);
	sandbox->policy = *policy;
	sandbox->files = files;
	/* What was allowed is asked about again. The marks that ask are not inodes' and stay. */
	fanotify_mark(kept->group, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
	json_object_set_new(answer, "mounts", json_integer((json_int_t)sandbox->mounts));
	json_object_set_new(answer, "files", json_integer((json_int_t)files.used));
	json_object_set_new(answer, "complete", json_boolean(walk.complete));
	json_object_set_new(answer, "held", kept_handles(kept));
	return true;
}

/* The groups of a sandbox are kept before they get marks: whoever holds the last of one that has any may hang. */
static bool open_groups(struct kept *kept, struct failure *why)
{
	if (kept->pidns < 0)
		kept->pidns = asker_namespace(kept->pid);
	if (kept->group < 0)
		kept->group = decide_group(true);
	if (kept->guard < 0)
		kept->guard = decide_group(false);
	return (kept->group >= 0 && kept->guard >= 0) ||
	       fail(why, "KERNEL_FANOTIFY_UNAVAILABLE", "", "the kernel gives no group: %s", strerror(errno));
}

static bool prepare(struct sandbox *sandbox, struct failure *why)
{
	struct kept *kept = sandbox->kept;
	int own = asker_namespace(getpid());
	int root = open_root(kept->pid, why);
	bool fine = root >= 0 && open_groups(kept, why);

	if (root >= 0)
		place_open(&sandbox->place, kept->pid, root);
	if (fine && (own < 0 || kept->pidns < 0 || asker_is_inside(getpid(), kept->pidns)))
		fine = fail(
		    why, "KERNEL_NAMESPACE_SHARED", "/pid",
		    "process %d has no PID namespace of its own, so whose processes are the sandbox's can't be told",
		    kept->pid);
	fine = fine && mounts_each(kept->pid, root, mark, sandbox, why);
	if (own >= 0)
		close(own);
	if (root >= 0)
		close(root);
	return fine;
}

/* One that has no policy yet. */
struct sandbox *sandbox_new(struct kept *kept)
{
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	sandbox->kept = kept;
	sandbox->place = NO_PLACE;
	sandbox->next = sandboxes;
	sandboxes = sandbox;
	return sandbox;
}

/* While this runs the sandbox's processes wait: marks come first, then what is denied is looked for. */
bool sandbox_attach(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer)
{
	return prepare(sandbox, why) && sandbox_update(sandbox, policy, why, answer);
}

/* For a sandbox whose policy was lost: everything is denied, or reported where it is only observed. */
void sandbox_shut(struct sandbox *sandbox)
{
	policy_free(&sandbox->policy);
	sandbox->kept->stale = true;
	sandbox->policy = (struct policy){ .enforce = sandbox->kept->enforce, .allow = { .present = true } };
	fanotify_mark(sandbox->kept->group, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
}

void sandbox_detach(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	report_end(sandbox);
	kept_drop(sandbox->kept);
	place_close(&sandbox->place);
	policy_free(&sandbox->policy);
	identities_free(&sandbox->files);
	free(sandbox);
}
