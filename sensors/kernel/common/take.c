#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char GROUP[] = "anon_inode:[fanotify]";

/* True for a group of fanotify. */
bool is_group(int fd)
{
	char name[64], target[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(name, target, sizeof(target));

	return length == (ssize_t)strlen(GROUP) && memcmp(target, GROUP, (size_t)length) == 0;
}

/* Another descriptor, of `lowest` or more, for what process `pid` has as `fd`; -1 with errno. Needs SYS_PTRACE. */
int take_descriptor(int pid, int fd, int lowest)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int taken = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	int reason = errno;

	if (process >= 0)
		close(process);
	if (taken < 0 || taken >= lowest) {
		errno = reason;
		return taken;
	}
	int high = fcntl(taken, F_DUPFD_CLOEXEC, lowest);

	close(taken);
	return high;
}

/* The same for a group of fanotify, and for nothing else. */
int take_group(int pid, int fd, int lowest)
{
	int taken = take_descriptor(pid, fd, lowest);

	if (taken < 0 || is_group(taken))
		return taken;
	close(taken);
	errno = EBADF;
	return -1;
}
