#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SYSCTL "/proc/sys/fs/fanotify/max_user_groups"
/* For as many sandboxes as we keep, and for others of the same user. */
#define GROUPS_MAX (2 * KEPT_MAX + 1024)

static pid_t starter; /* of ours: the control plane, or what the engine starts containers by */

/* Before a keeper stands between. */
void limit_setup(void)
{
	starter = getppid();
}

/* In a container the settings are read-only; those that the host's processes see are not. */
static int open_setting(void)
{
	char path[64 + sizeof(SYSCTL)];
	int fd = open(SYSCTL, O_RDWR | O_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/%d/root" SYSCTL, starter);
	return fd >= 0 ? fd : open(path, O_RDWR | O_CLOEXEC);
}

/* Doubles how many groups of fanotify a user may have, where we may and it isn't plenty. True when it is more now. */
bool limit_raise(void)
{
	char text[32];
	int fd = open_setting();
	ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	long limit = atol(text);
	bool raised = false;

	if (limit > 0 && limit < GROUPS_MAX) {
		int length = snprintf(text, sizeof(text), "%ld", 2 * limit < GROUPS_MAX ? 2 * limit : GROUPS_MAX);

		raised = pwrite(fd, text, (size_t)length, 0) == length;
	}
	if (raised)
		say("all groups of fanotify are in use; now fs.fanotify.max_user_groups is", text);
	if (fd >= 0)
		close(fd);
	errno = EMFILE;
	return raised;
}
