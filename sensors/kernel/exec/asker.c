#include "kernel.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor of the PID namespace that the process is in, or -1. */
int asker_namespace(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool same_file(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/*
 * True when the process is in the sandbox's PID namespace or in one that was made inside it: a process can neither
 * leave its PID namespace nor enter one that isn't below it. It waits for the answer, so its number is its own; one
 * that can't be looked at is taken as inside.
 */
bool asker_is_inside(pid_t pid, int pidns)
{
	int at = asker_namespace(pid);

	if (at < 0)
		return true;
	bool inside = same_file(at, pidns);

	while (!inside) {
		int parent = ioctl(at, NS_GET_PARENT);

		close(at);
		if (parent < 0)
			return false;
		at = parent;
		inside = same_file(at, pidns);
	}
	close(at);
	return inside;
}

static void put_name(json_t *event, const char *key, const char *name)
{
	char text[3 * sizeof(((struct status *)NULL)->name)];

	json_object_set_new(event, key, json_stringn(text, text_decode(name, strlen(name), text)));
}

/* Adds who asks, as far as that can be seen: it waits for the answer, unless it was killed. */
void asker_describe(pid_t pid, json_t *event)
{
	struct status asker, parent;

	json_object_set_new(event, "pid", json_integer(pid));
	if (!status_of(pid, &asker))
		return;
	json_object_set_new(event, "pidInside", json_integer(asker.inside));
	json_object_set_new(event, "uid", json_integer(asker.uid));
	put_name(event, "comm", asker.name);
	json_object_set_new(event, "parent", json_integer(asker.parent));
	if (status_of(asker.parent, &parent))
		put_name(event, "parentComm", parent.name);
}
