#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sandbox *sandboxes;

struct sandbox *sandbox_named(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->name, name) != 0)
		at = at->next;
	return at;
}

struct sandbox *sandbox_of(uint32_t space)
{
	struct sandbox *at = sandboxes;

	while (at && at->space != space)
		at = at->next;
	return at;
}

static int open_space(pid_t pid, uint32_t *space)
{
	char path[64];
	struct stat found;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &found) == 0)
		*space = (uint32_t)found.st_ino;
	return fd;
}

/* The PID namespace of a process; 0 where it can't be seen. */
uint32_t space_of(pid_t pid)
{
	uint32_t space = 0;
	int fd = open_space(pid, &space);

	if (fd >= 0)
		close(fd);
	return space;
}

/* False with the reason where it can't be observed. */
static bool observe(const struct sandbox *sandbox, pid_t pid, struct failure *why)
{
	if (sandbox->pidns < 0)
		return fail(why, "KERNEL_PROCESS_UNKNOWN", "/pid", "the PID namespace of process %d can't be opened: %s", pid,
			    strerror(errno));
	if (sandbox->space == space_of(getpid()))
		return fail(
		    why, "KERNEL_NAMESPACE_SHARED", "/pid",
		    "process %d has no PID namespace of its own, so whose processes are the sandbox's can't be told", pid);
	if (sandbox_of(sandbox->space))
		return fail(why, "KERNEL_SANDBOX_EXISTS", "/pid", "process %d belongs to another sandbox already", pid);
	if (!observer->attach(sandbox))
		return fail(why, "HELPER_REFUSED", "", "no more sandboxes can be observed: %s", strerror(errno));
	return true;
}

/* Where its programs come from can't be told without its files. */
static void open_files(struct sandbox *sandbox, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	sandbox->place = NO_PLACE;
	sandbox->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sandbox->root >= 0)
		place_open(&sandbox->place, pid, sandbox->root);
}

/* From now on every exec in the PID namespace of the process is told. */
struct sandbox *sandbox_attach(const char *name, pid_t pid, struct failure *why)
{
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	snprintf(sandbox->name, sizeof(sandbox->name), "%s", name);
	sandbox->pidns = open_space(pid, &sandbox->space);
	if (!observe(sandbox, pid, why)) {
		if (sandbox->pidns >= 0)
			close(sandbox->pidns);
		free(sandbox);
		return NULL;
	}
	open_files(sandbox, pid);
	sandbox->next = sandboxes;
	sandboxes = sandbox;
	kinds_start();
	return sandbox;
}

void sandbox_detach(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	observer->detach(sandbox);
	kinds_end(sandbox);
	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	processes_forget(sandbox);
	place_close(&sandbox->place);
	if (sandbox->root >= 0)
		close(sandbox->root);
	close(sandbox->pidns);
	free(sandbox);
}
