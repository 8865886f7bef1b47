/*
 * A HEALTHCHECK is code of the image that the engine starts on its own, also before `go`. The control plane makes it
 * `/.ucp/init healthcheck CMD ARG…`, which runs CMD only when this sandbox's init has let the workload go.
 */
#include "init.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads /proc/PID/NAME, cut to size - 1 bytes; empty when it can't be read. */
static void read_proc(const char *pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got = -1;
	int length = snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);

	if (length > 0 && (size_t)length < sizeof(path)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			got = read(fd, text, size - 1);
			close(fd);
		}
	}
	text[got > 0 ? got : 0] = '\0';
}

/* Other sandboxes may share the PID namespace, never the cgroup. */
static bool same_sandbox(const char *pid)
{
	char own[4096];
	char other[4096];

	read_proc("self", "cgroup", own, sizeof(own));
	read_proc(pid, "cgroup", other, sizeof(other));
	return own[0] && strcmp(own, other) == 0;
}

static bool is_ours(const char *pid)
{
	char command[sizeof(UCP_INIT_PATH) + 1];

	read_proc(pid, "cmdline", command, sizeof(command));
	return strcmp(command, UCP_INIT_PATH) == 0;
}

static bool is_named(const char *pid, const char *name)
{
	char comm[32];

	read_proc(pid, "comm", comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = '\0';
	return strcmp(comm, name) == 0;
}

/* The OCI runtime's own process stands at PID 1 until it executes init: "runc:[2:INIT]". */
static bool is_runtime(const char *pid)
{
	char comm[32];

	read_proc(pid, "comm", comm, sizeof(comm));
	return !comm[0] || strstr(comm, ":[");
}

/* Without a PID namespace of its own, the sandbox's init is somewhere among the host's processes. */
static bool found_running(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (proc && !found && (entry = readdir(proc)))
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_named(entry->d_name, NAME_RUNNING) &&
			is_ours(entry->d_name) && same_sandbox(entry->d_name);
	if (proc)
		closedir(proc);
	return found;
}

static bool workload_may_run(void)
{
	if (!same_sandbox("1"))
		return found_running();
	/* Answered with `exec`, PID 1 is the entrypoint itself, and only `exec` can have made it so. */
	return is_ours("1") ? is_named("1", NAME_RUNNING) : !is_runtime("1");
}

_Noreturn void health_check(char *const argv[])
{
	if (!argv[0])
		refuse("healthcheck: expected a command", NULL);
	if (!workload_may_run()) {
		say("healthcheck: the workload has not been let go yet", NULL);
		_exit(EXIT_FAILURE);
	}
	spawn_exec(argv);
}
