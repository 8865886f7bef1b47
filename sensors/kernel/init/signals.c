#include "init.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(signal) (UINT64_C(1) << ((signal)-1))

const uint64_t SIGNALS_ALL = UINT64_MAX;

/* PID 1 has no default actions, so while it waits for `go` it ends itself on these. */
const uint64_t SIGNALS_ENDING = BIT(SIGTERM) | BIT(SIGINT) | BIT(SIGHUP) | BIT(SIGQUIT);

static uint64_t set_mask(uint64_t mask)
{
	uint64_t old = 0;

	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, sizeof(mask)) < 0)
		refuse("can't set the signal mask", NULL);
	return old;
}

/* Blocks every signal for good: they are read from a descriptor instead. Returns the mask of the workload. */
uint64_t signals_block(void)
{
	/* An inherited "ignore" would make the kernel reap children without telling. */
	signal(SIGCHLD, SIG_DFL);
	return set_mask(SIGNALS_ALL);
}

void signals_restore(uint64_t mask)
{
	set_mask(mask);
}

int signals_open(uint64_t mask)
{
	int fd = (int)syscall(SYS_signalfd4, -1, &mask, sizeof(mask), SFD_CLOEXEC);

	if (fd < 0)
		refuse("can't open a signal descriptor", NULL);
	return fd;
}

/* Waits for a signal and returns its number. */
int signals_next(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) != sizeof(info))
		if (errno != EINTR && errno != EAGAIN)
			refuse("can't read signals", NULL);
	return (int)info.ssi_signo;
}

/*
 * CHLD is about our children; TTIN and TTOU say that init itself is in the background of a terminal, which it is.
 * WINCH is forwarded: the kernel sends its own to the foreground group, where init is not.
 */
bool signals_forwarded(int signal)
{
	return signal != SIGCHLD && signal != SIGTTIN && signal != SIGTTOU;
}
