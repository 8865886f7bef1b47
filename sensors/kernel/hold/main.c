#include "hold.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* Other processes' descriptors. */
#define KEPT (1u << CAP_SYS_PTRACE)
#define KEPT_NAMES "this needs the capability SYS_PTRACE"

const struct program program = { .name = "ucp-hold", .invalid = "KERNEL_REQUEST_INVALID" };

int main(int argc, char *argv[])
{
	struct rlimit limit;

	if (argc != 3 || (strcmp(argv[1], "--listen") != 0 && strcmp(argv[1], "--connect") != 0))
		die("expected --listen SOCKET or --connect SOCKET", NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Those that close groups are not waited for. */
	signal(SIGCHLD, SIG_IGN);
	client_setup(strcmp(argv[1], "--listen") == 0, argv[2]);
	caps_drop(KEPT, KEPT_NAMES);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	for (;;) {
		struct pollfd fd = { .fd = client_descriptor(), .events = client_interest() };

		if (poll(&fd, 1, client_wait_ms()) < 0 && errno != EINTR)
			die("poll", strerror(errno));
		client_serve(fd.revents);
	}
}
