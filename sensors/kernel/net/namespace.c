#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct netns home, host;

static bool look(struct netns *space, const char *path)
{
	struct stat stat;

	space->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (space->fd < 0 || fstat(space->fd, &stat) < 0)
		return false;
	space->dev = stat.st_dev;
	space->ino = stat.st_ino;
	return true;
}

/*
 * Ours, and the host's, whose rules are never touched: that of the first process or of the kernel's own threads, where
 * they may be looked at. Both stay open, so that their numbers stay theirs.
 */
void namespace_setup(void)
{
	if (!look(&home, "/proc/self/ns/net"))
		die("the network namespace of this process can't be told", strerror(errno));
	if (!look(&host, "/proc/1/ns/net") && !look(&host, "/proc/2/ns/net"))
		host = home;
}

bool namespace_same(const struct netns *one, const struct netns *other)
{
	return one->dev == other->dev && one->ino == other->ino;
}

static bool is_alive(int process)
{
	struct pollfd end = { .fd = process, .events = POLLIN };

	return poll(&end, 1, 0) == 0;
}

static bool shared(const struct netns *space)
{
	return namespace_same(space, &home) || namespace_same(space, &host);
}

/* The process is held while its namespace is opened: its number can't become another's in between. */
bool namespace_open(struct netns *space, pid_t pid, struct failure *why)
{
	char path[64];
	int process = (int)syscall(SYS_pidfd_open, pid, 0);

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	space->fd = -1;
	bool opened = process >= 0 && look(space, path) && is_alive(process);
	int error = errno;

	if (process >= 0)
		close(process);
	if (!opened)
		fail(why, "NET_PROCESS_UNKNOWN", "/pid", "the network namespace of process %d can't be opened: %s",
		     (int)pid, error ? strerror(error) : "it ended");
	else if (shared(space))
		opened =
		    fail(why, "NET_NAMESPACE_SHARED", "/pid", "process %d is in the network of the host", (int)pid);
	if (!opened && space->fd >= 0)
		close(space->fd);
	return opened;
}

/* A socket belongs to the namespace where it was made, for good. */
int namespace_socket(const struct netns *space, int family, int type, int protocol)
{
	if (setns(space->fd, CLONE_NEWNET) < 0)
		return -1;
	int sock = socket(family, type | SOCK_CLOEXEC, protocol);
	int error = errno;

	if (setns(home.fd, CLONE_NEWNET) < 0)
		die("there is no way back from a sandbox's network namespace", strerror(errno));
	errno = error;
	return sock;
}
