#include "net.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

/* Other processes' network namespaces; rules, marks and logs in them. */
#define KEPT ((1u << CAP_SYS_ADMIN) | (1u << CAP_SYS_PTRACE) | (1u << CAP_NET_ADMIN))
#define KEPT_NAMES "this needs the capabilities SYS_ADMIN, SYS_PTRACE and NET_ADMIN"
#define USAGE "expected --listen SOCKET or --connect SOCKET"

const struct program program = { .name = "ucp-net", .invalid = "NET_REQUEST_INVALID" };

int main(int argc, char *argv[])
{
	if (argc != 3 || (strcmp(argv[1], "--listen") != 0 && strcmp(argv[1], "--connect") != 0))
		die(USAGE, NULL);
	signal(SIGPIPE, SIG_IGN);
	client_setup(strcmp(argv[1], "--listen") == 0, argv[2]);
	caps_drop(KEPT, KEPT_NAMES);
	for (;;) {
		struct pollfd client = { .fd = client_descriptor(), .events = client_interest() };

		if (poll(&client, 1, client_wait_ms()) < 0 && errno != EINTR)
			die("poll", strerror(errno));
		client_serve(client.revents);
	}
}
