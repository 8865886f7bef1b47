#include "trace.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* BPF and other processes' namespaces; links of /proc; the process connector; directories of other users. */
#define KEPT \
	((1u << CAP_SYS_ADMIN) | (1u << CAP_SYS_PTRACE) | (1u << CAP_NET_ADMIN) | (1u << CAP_DAC_READ_SEARCH))
#define KEPT_NAMES "this needs the capabilities SYS_ADMIN, SYS_PTRACE, NET_ADMIN and DAC_READ_SEARCH"
#define USAGE "expected --listen SOCKET or --connect SOCKET, and maybe --without-bpf"

/* While much happens it is looked at so often, ms: whoever writes a record then has nobody to wake. */
#define PAUSE_MS 10

const struct program program = { .name = "ucp-trace", .invalid = "KERNEL_REQUEST_INVALID" };

/* Older kernels count the memory of maps here; each sandbox has a descriptor. */
static void allow(int resource)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(resource, &limit) == 0 || getrlimit(resource, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

static int earlier(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static uint64_t heard(void)
{
	uint64_t sum = 0;

	for (const struct sandbox *at = sandboxes; at; at = at->next)
		sum += at->execs + at->exits;
	return sum;
}

static _Noreturn void loop(void)
{
	bool busy = false;

	for (;;) {
		struct pollfd fds[] = { { .fd = client_descriptor(), .events = client_interest() },
					{ .fd = observer->descriptor(), .events = POLLIN } };
		int wait = earlier(client_wait_ms(), kinds_wait_ms());

		if (busy) {
			fds[1].fd = -1;
			wait = earlier(wait, PAUSE_MS);
		}
		if (poll(fds, 2, wait) < 0 && errno != EINTR)
			die("poll", strerror(errno));
		uint64_t before = heard();

		observer->serve();
		busy = heard() != before;
		client_serve(fds[0].revents);
		kinds_serve();
	}
}

int main(int argc, char *argv[])
{
	bool without_bpf = argc == 4 && strcmp(argv[3], "--without-bpf") == 0;

	if (argc != 3 + without_bpf || (strcmp(argv[1], "--listen") != 0 && strcmp(argv[1], "--connect") != 0))
		die(USAGE, NULL);
	signal(SIGPIPE, SIG_IGN);
	allow(RLIMIT_MEMLOCK);
	allow(RLIMIT_NOFILE);
	client_setup(strcmp(argv[1], "--listen") == 0, argv[2]);
	caps_drop(KEPT, KEPT_NAMES);
	observer_start(without_bpf);
	loop();
}
