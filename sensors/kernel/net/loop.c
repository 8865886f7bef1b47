#include "net.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is served between two looks at the client. */
#define BATCH 64

static int group = -1;

int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void loop_setup(void)
{
	group = epoll_create1(EPOLL_CLOEXEC);
	if (group < 0)
		die("epoll", strerror(errno));
}

void loop_add(struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(group, EPOLL_CTL_ADD, source->fd, &event) < 0)
		die("epoll", strerror(errno));
}

void loop_change(const struct source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = (void *)(uintptr_t)source };

	if (epoll_ctl(group, EPOLL_CTL_MOD, source->fd, &event) < 0)
		die("epoll", strerror(errno));
}

/* Closes it, too. Taken out first: a child that was just forked holds a copy until it executes. */
void loop_end(struct source *source)
{
	if (source->fd < 0)
		return;
	epoll_ctl(group, EPOLL_CTL_DEL, source->fd, NULL);
	close(source->fd);
	source->fd = -1;
}

static void serve(void)
{
	struct epoll_event event;

	for (int count = 0; count < BATCH && epoll_wait(group, &event, 1, 0) > 0; count++) {
		struct source *source = event.data.ptr;

		source->ready(source, event.events);
	}
}

static int patience(void)
{
	int client = client_wait_ms();

	if (!sandboxes_busy())
		return client;
	return client >= 0 && client < TICK_MS ? client : TICK_MS;
}

_Noreturn void loop_run(void)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = client_descriptor(), .events = client_interest() },
					{ .fd = group, .events = POLLIN } };

		if (poll(fds, 2, patience()) < 0) {
			if (errno != EINTR)
				die("poll", strerror(errno));
			continue;
		}
		serve();
		client_serve(fds[0].revents);
		sandboxes_sweep();
	}
}
