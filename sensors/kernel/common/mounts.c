#include "origin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens a path as a process of the container would find it, whatever links it goes through. */
int open_inside(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* Undoes mountinfo's \ooo in place. */
static char *unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] && at[3]) {
			*to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
	return text;
}

struct mount {
	char *point;
	char *type;
	char *options; /* of the file system */
};

/* proc(5): ID PARENT DEV ROOT POINT OPTIONS [TAGS…] - TYPE SOURCE OPTIONS */
static bool parse(char *line, struct mount *mount)
{
	char *rest = strstr(line, " - ");
	char *save;
	char *field = strtok_r(line, " ", &save);

	if (!rest)
		return false;
	for (int number = 0; field && number < 4; number++)
		field = strtok_r(NULL, " ", &save);
	mount->point = field;
	mount->type = strtok_r(rest + 3, " ", &save);
	mount->options = strtok_r(NULL, " \n", &save) ? strtok_r(NULL, "\n", &save) : NULL;
	return mount->point && mount->type && mount->options && unescape(mount->point);
}

static FILE *mountinfo(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", pid);
	return fopen(path, "re");
}

/* Visits every mount of the process's mount namespace that a path leads to. */
bool mounts_each(pid_t pid, int root, mount_visitor *visit, void *context, struct failure *why)
{
	FILE *file = mountinfo(pid);
	char *line = NULL;
	size_t size = 0;
	bool fine = true;

	if (!file)
		return fail(why, "KERNEL_PROCESS_UNKNOWN", "/pid", "its mounts can't be read: %s", strerror(errno));
	while (fine && getline(&line, &size, file) > 0) {
		struct mount mount;

		if (!parse(line, &mount)) {
			fine = fail(why, "KERNEL_MOUNT_FAILED", "/pid", "a line of its mountinfo can't be read");
			break;
		}
		int fd = open_inside(root, mount.point, O_PATH);

		/* Below another mount, or in a removed directory: no path leads there. */
		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
			continue;
		if (fd < 0)
			fine = fail(why, "KERNEL_MOUNT_FAILED", "/pid", "%.200s: %s", mount.point, strerror(errno));
		else
			fine = visit(context, fd, mount.point, mount.type, why);
		if (fd >= 0)
			close(fd);
	}
	free(line);
	fclose(file);
	return fine;
}

/*
 * The directory of an overlay's options that holds what was written. Its name is the engine's: it is ours too where we
 * run beside the engine or have its directory mounted, else it is below the root of the host's first process.
 */
static int open_upper(char *options)
{
	static const char *const roots[] = { "", "/proc/1/root" };
	char path[PATH_BYTES];
	char *save;
	int upper = -1;

	for (char *option = strtok_r(options, ",", &save); option; option = strtok_r(NULL, ",", &save)) {
		if (strncmp(option, "upperdir=/", strlen("upperdir=/")) != 0)
			continue;
		unescape(option);
		for (size_t root = 0; upper < 0 && root < sizeof(roots) / sizeof(*roots); root++) {
			snprintf(path, sizeof(path), "%s%s", roots[root], option + strlen("upperdir="));
			upper = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		}
	}
	return upper;
}

/* The writable layer of the process's root, or -1. */
int mounts_upper(pid_t pid)
{
	FILE *file = mountinfo(pid);
	char *line = NULL;
	size_t size = 0;
	int upper = -1;
	struct mount mount;

	while (file && upper < 0 && getline(&line, &size, file) > 0) {
		if (parse(line, &mount) && strcmp(mount.point, "/") == 0 && strcmp(mount.type, "overlay") == 0)
			upper = open_upper(mount.options);
	}
	free(line);
	if (file)
		fclose(file);
	return upper;
}
