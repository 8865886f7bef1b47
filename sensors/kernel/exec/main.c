#include "kernel.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* fanotify; other processes' roots and namespaces; directories of other users. */
#define KEPT ((1u << CAP_SYS_ADMIN) | (1u << CAP_SYS_PTRACE) | (1u << CAP_DAC_READ_SEARCH))
#define KEPT_NAMES "this needs the capabilities SYS_ADMIN, SYS_PTRACE and DAC_READ_SEARCH"
#define USAGE "expected --listen SOCKET, --connect SOCKET or --match"

const struct program program = { .name = "ucp-kernel", .invalid = "KERNEL_REQUEST_INVALID" };

static size_t count_sandboxes(void)
{
	size_t count = 0;

	for (struct sandbox *at = sandboxes; at; at = at->next)
		count++;
	return count;
}

#define FIRST 1 /* after the client's; each sandbox has two */

/* Answers the kernel before the client, whose requests may change who is attached. */
static void serve(const struct pollfd *fds)
{
	size_t index = FIRST;

	for (struct sandbox *at = sandboxes; at; at = at->next, index += 2) {
		if (fds[index].revents)
			decide_execs(at);
		if (fds[index + 1].revents)
			decide_opens(at);
	}
	client_serve(fds[0].revents);
	report_serve();
}

/* The earlier one of two times to wait, of which -1 is for ever. */
static int earlier(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static _Noreturn void loop(void)
{
	struct pollfd *fds = NULL;

	for (;;) {
		size_t count = FIRST;

		fds = must(realloc(fds, (FIRST + 2 * count_sandboxes()) * sizeof(*fds)));
		fds[0] = (struct pollfd){ .fd = client_descriptor(), .events = client_interest() };
		for (struct sandbox *at = sandboxes; at; at = at->next) {
			fds[count++] = (struct pollfd){ .fd = at->kept->group, .events = POLLIN };
			fds[count++] = (struct pollfd){ .fd = at->kept->guard, .events = POLLIN };
		}
		if (poll(fds, count, earlier(client_wait_ms(), report_wait_ms())) < 0 && errno != EINTR)
			die("poll", strerror(errno));
		serve(fds);
	}
}

int main(int argc, char *argv[])
{
	if (argc == 2 && strcmp(argv[1], "--match") == 0)
		return match_pairs();
	if (argc != 3 || (strcmp(argv[1], "--listen") != 0 && strcmp(argv[1], "--connect") != 0))
		die(USAGE, NULL);
	signal(SIGPIPE, SIG_IGN);
	limit_setup();
	client_setup(strcmp(argv[1], "--listen") == 0, argv[2]);
	caps_drop(KEPT, KEPT_NAMES);
	int probe = decide_group(true);

	if (probe < 0)
		die("the kernel gives no fanotify group; this needs CAP_SYS_ADMIN", strerror(errno));
	close(probe);
	kept_setup();
	keeper_split();
	loop();
}
