#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* group, guard, PID namespace, text of the request */
#define FDS 4
#define TEXT 3
#define RESTART_DELAY_US 20000

/* What the decider tells its keeper about a sandbox; with the group, the namespace and the request unless it is gone.
 */
struct note {
	char name[NAME_MAX_BYTES + 1];
	pid_t pid;
	bool enforce;
	bool gone;
};

struct kept {
	struct kept *next;
	struct note note;
	int fd[FDS];
};

static struct kept *kept;
static int channel = -1;
static volatile sig_atomic_t decider;

union control {
	char space[CMSG_SPACE(FDS * sizeof(int))];
	struct cmsghdr header;
};

/* Tells the keeper; from then on a successor can go on with the sandbox. */
static void tell(const struct note *note, const int *fds)
{
	union control control = { 0 };
	struct iovec part = { .iov_base = (void *)note, .iov_len = sizeof(*note) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fds) {
		message.msg_control = control.space;
		message.msg_controllen = sizeof(control.space);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(FDS * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, FDS * sizeof(int));
	}
	if (channel >= 0 && sendmsg(channel, &message, MSG_NOSIGNAL) < 0)
		say("the keeper is gone; this process goes on without one", strerror(errno));
}

void keeper_put(const struct sandbox *sandbox, const json_t *request)
{
	struct note note = { .pid = sandbox->pid, .enforce = sandbox->policy.enforce };
	int text = memfd_create("ucp-request", MFD_CLOEXEC);

	memcpy(note.name, sandbox->name, sizeof(note.name));
	if (text < 0 || json_dumpfd(request, text, JSON_COMPACT) < 0)
		die("a policy can't be kept", strerror(errno));
	tell(&note, (int[]){ sandbox->group, sandbox->guard, sandbox->pidns, text });
	close(text);
}

void keeper_drop(const struct sandbox *sandbox)
{
	struct note note = { .gone = true };

	memcpy(note.name, sandbox->name, sizeof(note.name));
	tell(&note, NULL);
}

static void forget(const char *name)
{
	struct kept **at = &kept;

	while (*at && strcmp((*at)->note.name, name) != 0)
		at = &(*at)->next;
	struct kept *found = *at;

	if (!found)
		return;
	*at = found->next;
	for (int index = 0; index < FDS; index++)
		close_later(found->fd[index]);
	free(found);
}

/* Takes one note; false when there is none, or never will be. */
static bool listen_once(int from)
{
	union control control;
	struct kept next = { 0 };
	struct iovec part = { .iov_base = &next.note, .iov_len = sizeof(next.note) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space)
	};

	if (recvmsg(from, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(next.note))
		return false;
	forget(next.note.name);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (!next.note.gone && header && header->cmsg_len == CMSG_LEN(FDS * sizeof(int))) {
		memcpy(next.fd, CMSG_DATA(header), FDS * sizeof(int));
		next.next = kept;
		kept = must(malloc(sizeof(next)));
		*kept = next;
	}
	return true;
}

/*
 * An event that the dead decider had read can only be answered by its number, which died with it, so all numbers are
 * answered. Where the policy is enforced, who waited gets an error instead of waiting for ever, or of passing.
 */
static void answer_all(int group, bool allow)
{
	struct rlimit limit;
	int count = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;

	for (int fd = 0; fd < count; fd++) {
		struct fanotify_response response = { .fd = fd, .response = allow ? FAN_ALLOW : FAN_DENY };

		if (write(group, &response, sizeof(response)) < 0 && errno != ENOENT)
			break;
	}
}

static void restore(void)
{
	for (struct kept *at = kept; at; at = at->next) {
		lseek(at->fd[TEXT], 0, SEEK_SET);
		json_t *request = json_loadfd(at->fd[TEXT], JSON_REJECT_DUPLICATES, NULL);

		answer_all(at->fd[0], !at->note.enforce);
		answer_all(at->fd[1], !at->note.enforce);
		request_restore(
		    request,
		    sandbox_new(at->note.name, at->note.pid, (int[]){ dup(at->fd[0]), dup(at->fd[1]), dup(at->fd[2]) }),
		    at->note.enforce);
		json_decref(request);
	}
}

static void stop(int number)
{
	if (decider > 0)
		kill((pid_t)decider, number);
	_exit(0);
}

/*
 * Returns in the decider, again in each successor of one that died. The process that was started stays behind and
 * holds the kernel's descriptors: as long as it does, nothing that waits for a decision passes.
 */
void keeper_split(void)
{
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	for (;;) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			die("socketpair", strerror(errno));
		pid_t child = fork();

		if (child < 0)
			die("fork", strerror(errno));
		if (child == 0) {
			signal(SIGTERM, SIG_DFL);
			signal(SIGINT, SIG_DFL);
			close(pair[0]);
			channel = pair[1];
			restore();
			return;
		}
		decider = child;
		close(pair[1]);
		struct pollfd wait = { .fd = pair[0], .events = POLLIN };

		/* The end of the channel is the end of the decider; what it said before is heard first. */
		while (poll(&wait, 1, -1) < 0 || listen_once(pair[0]))
			continue;
		close(pair[0]);
		waitpid(child, NULL, 0);
		say("the decider died and is started again", NULL);
		usleep(RESTART_DELAY_US);
	}
}
