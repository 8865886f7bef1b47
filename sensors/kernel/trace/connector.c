#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's process connector: what happened, but only /proc says what it was, if the process still lives. */
#define CPUS_MAX 4096
#define RECEIVE_BYTES (4 << 20)

static int sock = -1;
static uint32_t expected[CPUS_MAX]; /* number of the next message of each processor; 0: none came yet */

/* Its messages are for the host's network namespace, which a helper container is not in. */
static int open_there(void)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int host = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);

	if (host >= 0)
		setns(host, CLONE_NEWNET);
	int made = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

	if (own >= 0)
		setns(own, CLONE_NEWNET);
	if (own >= 0)
		close(own);
	if (host >= 0)
		close(host);
	return made;
}

static bool start(char *why, size_t size)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	struct __attribute__((packed)) {
		struct nlmsghdr head;
		struct cn_msg message;
		enum proc_cn_mcast_op op;
	} listen = {
		.head = { .nlmsg_len = sizeof(listen), .nlmsg_type = NLMSG_DONE },
		.message = { .id = { .idx = CN_IDX_PROC, .val = CN_VAL_PROC }, .len = sizeof(listen.op) },
		.op = PROC_CN_MCAST_LISTEN,
	};
	int bytes = RECEIVE_BYTES;

	sock = open_there();
	if (sock < 0 || bind(sock, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    send(sock, &listen, sizeof(listen), 0) < 0) {
		snprintf(why, size, "the process connector can't be used: %s", strerror(errno));
		return false;
	}
	setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	return true;
}

static int descriptor(void)
{
	return sock;
}

/* Fills in what /proc says; false when it is gone or none of ours. */
static bool look(pid_t pid, struct record *record)
{
	struct status status;

	record->self.pid = (uint32_t)pid;
	record->space = space_of(pid);
	if (!sandbox_of(record->space) || !status_of(pid, &status))
		return false;
	memcpy(record->comm, status.name, strnlen(status.name, COMM_BYTES));
	record->parent.pid = (uint32_t)status.parent;
	record->uid = (uint32_t)status.uid;
	record->self.inside = (uint32_t)status.inside;
	return true;
}

/* The process that is named by a number alone, if it is the sandbox's; what lived before we came is met here. */
static struct who whose(uint32_t pid, uint32_t space)
{
	const struct process *process = process_find(pid);
	struct record record = { .kind = RECORD_FORK };

	if ((!process || process->dead) && space_of((pid_t)pid) == space && look((pid_t)pid, &record))
		process = process_begin(sandbox_of(space), &record);
	return process && !process->dead ? process->lineage[0].who : (struct who){ .pid = pid };
}

static const char *read_link(pid_t pid, const char *name, char *target)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	ssize_t length = readlink(path, target, PATH_ROOM);

	if (length <= 0)
		return NULL;
	target[length] = '\0';
	return target;
}

/* It executed something and is no more: that is all that can be said. */
static void tell_gone(uint32_t pid, struct record *record, struct details *details)
{
	const struct process *process = process_find(pid);

	if (!process || process->dead)
		return;
	record->space = process->sandbox->space;
	record->self = process->lineage[0].who;
	record->flags = NO_ARGS;
	details->args_bytes = 0;
	tell_exec(record, details);
}

static void executed(pid_t pid, uint64_t at)
{
	struct record record = { .kind = RECORD_EXEC, .at = at };
	char path[PATH_ROOM + 1], cwd[PATH_ROOM + 1], args[ARGS_ROOM], name[64];
	struct details details = { .args = args };

	if (!look(pid, &record)) {
		tell_gone((uint32_t)pid, &record, &details);
		return;
	}
	record.parent = whose(record.parent.pid, record.space);
	record.self = whose(record.self.pid, record.space);
	details.path = read_link(pid, "exe", path);
	details.cwd = read_link(pid, "cwd", cwd);
	snprintf(name, sizeof(name), "/proc/%d/cmdline", pid);
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, args, sizeof(args)) : -1;

	if (fd >= 0)
		close(fd);
	details.args_bytes = got > 0 ? (size_t)got : 0;
	record.flags = got < 0 ? NO_ARGS : got == sizeof(args) ? CUT_ARGS : 0;
	tell_exec(&record, &details);
}

static void forked(const struct proc_event *event)
{
	struct record record = { .kind = RECORD_FORK, .at = event->timestamp_ns };

	/* Threads are none. */
	if (event->event_data.fork.child_pid != event->event_data.fork.child_tgid)
		return;
	if (!look(event->event_data.fork.child_tgid, &record)) {
		const struct process *parent = process_find((uint32_t)event->event_data.fork.parent_tgid);

		/* Of another's child nothing is left to see; of ours it is known whose it was. */
		if (space_of(event->event_data.fork.child_tgid) != 0 || !parent || parent->dead)
			return;
		record.space = parent->sandbox->space;
	}
	record.self.born = event->timestamp_ns;
	record.parent = whose((uint32_t)event->event_data.fork.parent_tgid, record.space);
	/* The number inside is known of a main thread only. */
	if (event->event_data.fork.parent_pid == event->event_data.fork.parent_tgid)
		record.by = record.parent.inside;
	tell_fork(&record);
}

static void ended(const struct proc_event *event)
{
	const struct process *process = process_find((uint32_t)event->event_data.exit.process_tgid);
	struct record record = { .kind = RECORD_EXIT, .at = event->timestamp_ns };

	if (event->event_data.exit.process_pid != event->event_data.exit.process_tgid || !process || process->dead)
		return;
	record.space = process->sandbox->space;
	record.self = process->lineage[0].who;
	record.status = event->event_data.exit.exit_code;
	if (!process->path)
		record.flags |= NO_EXEC;
	memcpy(record.comm, process->lineage[0].comm, COMM_BYTES);
	tell_exit(&record);
}

static void count(const struct cn_msg *message, const struct proc_event *event)
{
	uint32_t *next = &expected[event->cpu % CPUS_MAX];

	if (*next != 0 && message->seq > *next && sandboxes)
		unheard += message->seq - *next;
	*next = message->seq + 1;
}

static void take(const char *data, size_t length)
{
	struct cn_msg message;
	struct proc_event event = { 0 };

	if (length < NLMSG_LENGTH(sizeof(message)))
		return;
	memcpy(&message, data + NLMSG_HDRLEN, sizeof(message));
	size_t size = length - NLMSG_LENGTH(sizeof(message));

	memcpy(&event, data + NLMSG_LENGTH(sizeof(message)), size < sizeof(event) ? size : sizeof(event));
	if (message.ack != 0)
		return;
	count(&message, &event);
	if (event.what == PROC_EVENT_FORK)
		forked(&event);
	else if (event.what == PROC_EVENT_EXEC)
		executed(event.event_data.exec.process_tgid, event.timestamp_ns);
	else if (event.what == PROC_EVENT_EXIT)
		ended(&event);
}

static void serve(void)
{
	char data[1024];
	struct sockaddr_nl from;
	socklen_t size = sizeof(from);
	ssize_t got;

	do {
		got = recvfrom(sock, data, sizeof(data), 0, (struct sockaddr *)&from, &size);
		/* Only the kernel has the number 0. */
		if (got > 0 && from.nl_pid == 0)
			take(data, (size_t)got);
	} while (got > 0 || (got < 0 && (errno == ENOBUFS || errno == EINTR)));
}

static bool attach(const struct sandbox *sandbox)
{
	(void)sandbox;
	return true;
}

static void detach(const struct sandbox *sandbox)
{
	(void)sandbox;
	serve();
}

static void losses(void)
{
}

const struct observer connector = {
	.name = "proc_connector",
	.start = start,
	.descriptor = descriptor,
	.serve = serve,
	.attach = attach,
	.detach = detach,
	.losses = losses,
};
