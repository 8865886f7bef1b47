#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

struct sandbox *sandboxes;

struct sandbox *sandbox_find(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->name, name) != 0)
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
	struct statfs system;
	struct stat found;
	char name[64];
	bool own = strcmp(path, "/") == 0 && fstatfs(fd, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC;
	unsigned int flags = FAN_MARK_ADD | (own ? FAN_MARK_FILESYSTEM : FAN_MARK_MOUNT);

	if (!has_programs(type))
		return true;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (fanotify_mark(sandbox->group, flags, FAN_OPEN_EXEC_PERM, AT_FDCWD, name) < 0)
		return fail(why, "KERNEL_MOUNT_FAILED", "/pid", "%.200s (%s) can't be watched: %s", path, type,
			    strerror(errno));
	if (own && fstat(fd, &found) == 0)
		sandbox->overlay = found.st_dev;
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

/* Puts the policy in force; on failure the one before stays. Takes over what `policy` owns when it succeeds. */
bool sandbox_update(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer)
{
	struct identities files = { 0 };
	int root = open_root(sandbox->pid, why);

	if (root < 0)
		return false;
	struct walk walk = { .root = root,
			     .policy = policy,
			     .files = &files,
			     .sandbox = sandbox,
			     .guard = decide_group(),
			     .complete = true };
	bool fine = walk.guard >= 0;

	if (!fine)
		fail(why, "KERNEL_FANOTIFY_UNAVAILABLE", "", "the kernel gives no group: %s", strerror(errno));
	if (fine && policy->deny_drift && sandbox->upper < 0)
		fine = fail(why, "KERNEL_DRIFT_UNKNOWN", "/drift",
			    "what was written to the container's file system can't be told");
	fine = fine && mounts_each(sandbox->pid, root, index_mount, &walk, why);
	if (fine && walk.shared.used > 0) {
		walk.links_only = true;
		walk_tree(&walk, "/");
	}
	identities_free(&walk.shared);
	close(root);
	if (!fine) {
		close_later(walk.guard);
		identities_free(&files);
		return false;
	}
	policy_free(&sandbox->policy);
	identities_free(&sandbox->files);
	sandbox->policy = *policy;
	sandbox->files = files;
	close_later(sandbox->guard);
	sandbox->guard = walk.guard;
	/* What was allowed is asked about again. The marks that ask are not inodes' and stay. */
	fanotify_mark(sandbox->group, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
	json_object_set_new(answer, "mounts", json_integer((json_int_t)sandbox->mounts));
	json_object_set_new(answer, "files", json_integer((json_int_t)files.used));
	json_object_set_new(answer, "complete", json_boolean(walk.complete));
	return true;
}

static bool prepare(struct sandbox *sandbox, struct failure *why)
{
	int own = asker_namespace(getpid());
	int root = open_root(sandbox->pid, why);
	bool fine = root >= 0;

	if (sandbox->pidns < 0)
		sandbox->pidns = asker_namespace(sandbox->pid);
	sandbox->upper = mounts_upper(sandbox->pid);
	if (sandbox->group < 0)
		sandbox->group = decide_group();
	if (fine && sandbox->group < 0)
		fine = fail(why, "KERNEL_FANOTIFY_UNAVAILABLE", "", "the kernel gives no group: %s", strerror(errno));
	if (fine && (own < 0 || sandbox->pidns < 0 || asker_is_inside(getpid(), sandbox->pidns)))
		fine = fail(
		    why, "KERNEL_NAMESPACE_SHARED", "/pid",
		    "process %d has no PID namespace of its own, so whose processes are the sandbox's can't be told",
		    sandbox->pid);
	fine = fine && mounts_each(sandbox->pid, root, mark, sandbox, why);
	if (own >= 0)
		close(own);
	if (root >= 0)
		close(root);
	return fine;
}

/* One that has no policy yet. `fds`: group, guard and PID namespace of an earlier decider, or NULL. */
struct sandbox *sandbox_new(const char *name, pid_t pid, const int *fds)
{
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	snprintf(sandbox->name, sizeof(sandbox->name), "%s", name);
	sandbox->pid = pid;
	sandbox->group = fds ? fds[0] : -1;
	sandbox->guard = fds ? fds[1] : -1;
	sandbox->pidns = fds ? fds[2] : -1;
	sandbox->upper = -1;
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
void sandbox_shut(struct sandbox *sandbox, bool enforce)
{
	policy_free(&sandbox->policy);
	sandbox->policy = (struct policy){ .enforce = enforce, .allow = { .present = true } };
	fanotify_mark(sandbox->group, FAN_MARK_FLUSH, 0, AT_FDCWD, NULL);
}

void sandbox_detach(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	close_later(sandbox->group);
	close_later(sandbox->guard);
	close(sandbox->pidns);
	close(sandbox->upper);
	policy_free(&sandbox->policy);
	identities_free(&sandbox->files);
	free(sandbox);
}
