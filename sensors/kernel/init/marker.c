#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/* How long a reader that takes nothing is waited for; it then learns the end from the stream's end. */
#define PATIENCE_MS 10000

/*
 * False when waiting is pointless: the reader takes nothing, the control plane is gone, or somebody wants us to end.
 * Only `exit` is left to be said on the socket, so any event there is its end.
 */
static bool wait_for_room(int fd, int sock, int endings)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = sock, .events = POLLRDHUP },
		{ .fd = endings, .events = POLLIN },
	};

	return poll(fds, 3, PATIENCE_MS) > 0 && fds[0].revents && !fds[1].revents && !fds[2].revents;
}

static void write_all(int fd, const char *bytes, size_t length, int sock, int endings)
{
	int flags = fcntl(fd, F_GETFL);

	/* The workload is dead, so nobody minds; poll alone is no promise when orphans still write to the pipe. */
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return;
	while (length > 0) {
		ssize_t wrote = write(fd, bytes, length);

		if (wrote > 0) {
			bytes += wrote;
			length -= (size_t)wrote;
		} else if (wrote < 0 && errno == EINTR) {
			continue;
		} else if (wrote < 0 && errno == EAGAIN) {
			if (!wait_for_room(fd, sock, endings))
				return;
		} else {
			return;
		}
	}
}

/* A pipe keeps its order: whoever reads the marker has read all that the workload wrote before. */
void marker_write(const char *marker, int sock, int signals)
{
	char bytes[MARKER_HEX + 16];
	int length = snprintf(bytes, sizeof(bytes), "%cucp-end:%s%c", 0, marker, 0);

	write_all(STDOUT_FILENO, bytes, (size_t)length, sock, signals);
	/* A terminal is one stream. */
	if (!isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO))
		write_all(STDERR_FILENO, bytes, (size_t)length, sock, signals);
}
