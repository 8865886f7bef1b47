#include "net.h"

#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

/* Other processes' network namespaces; rules, marks and logs in them. */
#define KEPT ((1u << CAP_SYS_ADMIN) | (1u << CAP_SYS_PTRACE) | (1u << CAP_NET_ADMIN))
#define KEPT_NAMES "this needs the capabilities SYS_ADMIN, SYS_PTRACE and NET_ADMIN"
#define USAGE "expected --listen SOCKET or --connect SOCKET"

const struct program program = { .name = "ucp-net", .invalid = "NET_REQUEST_INVALID" };

/* Each sandbox has some descriptors, each of its connections one. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int main(int argc, char *argv[])
{
	if (argc != 3 || (strcmp(argv[1], "--listen") != 0 && strcmp(argv[1], "--connect") != 0))
		die(USAGE, NULL);
	signal(SIGPIPE, SIG_IGN);
	allow_descriptors();
	client_setup(strcmp(argv[1], "--listen") == 0, argv[2]);
	caps_drop(KEPT, KEPT_NAMES);
	namespace_setup();
	loop_setup();
	loop_run();
}
