#include "kernel.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESTART_DELAY_US 20000

/* The process that has the descriptors as long as any of ours lives. */
pid_t keeper;

static volatile sig_atomic_t decider;

static void restore(void)
{
	kept_sweep();
	if (hand->of && hand->counted)
		hand->of->outcomes[hand->outcome] = hand->count;
	for (struct kept *kept = kept_next(NULL); kept; kept = kept_next(kept)) {
		report_restart(kept);
		request_restore(sandbox_new(kept));
	}
	for (struct sandbox *at = sandboxes; at; at = at->next) {
		if (at->kept == hand->of)
			decide_hand(at);
	}
}

/* Stopping on purpose lets go of everything. */
static void stop(int number)
{
	(void)number;
	if (decider > 0)
		kill((pid_t)decider, SIGKILL);
	kept_release();
	_exit(0);
}

/* A process that has our descriptors, not copies of them: its end closes none, so it is quick, and opens nothing. */
static pid_t split(void)
{
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGINT);
	sigprocmask(SIG_BLOCK, &stops, NULL);
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);

	if (child < 0)
		die("clone", strerror(errno));
	decider = child;
	if (child == 0) {
		/* Alone it would go on where nobody looks for it. What waits is ucp-hold's then. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != keeper)
			_exit(1);
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		/* Those that close groups are not waited for. */
		signal(SIGCHLD, SIG_IGN);
	}
	sigprocmask(SIG_UNBLOCK, &stops, NULL);
	return child;
}

/*
 * Returns in the decider, again in each successor of one that died. The process that was started stays behind and
 * holds the kernel's descriptors: as long as it does, nothing that waits for a decision passes.
 */
void keeper_split(void)
{
	keeper = getpid();
	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	signal(SIGCHLD, SIG_DFL);
	for (;;) {
		pid_t child = split();

		if (child == 0) {
			restore();
			return;
		}
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			continue;
		say("the decider died and is started again", NULL);
		usleep(RESTART_DELAY_US);
	}
}
