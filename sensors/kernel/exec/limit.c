#include "kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SYSCTL "/proc/sys/fs/fanotify/max_user_groups"
/* For as many sandboxes as we keep, and for others of the same user. */
#define GROUPS_MAX (2 * KEPT_MAX + 1024)

/* In a container the settings are read-only; those of the host's first process are not. */
static int open_setting(void)
{
	int fd = open(SYSCTL, O_RDWR | O_CLOEXEC);

	return fd >= 0 ? fd : open("/proc/1/root" SYSCTL, O_RDWR | O_CLOEXEC);
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
	return raised;
}
