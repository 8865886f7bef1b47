#include "init.h"

#include <signal.h>
#include <sys/wait.h>

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? EXIT_BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Reaps all that ended, orphans of the workload too. Returns the workload's exit code, or -1 while it lives. */
static int reap(pid_t child, bool tty)
{
	int code = -1;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != child)
			continue;
		if (!WIFSTOPPED(status))
			code = exit_code(status);
		else if (tty && WSTOPSIG(status) == SIGTSTP)
			/* As PID 1 it would have ignored Ctrl+Z; here nobody could ever resume it. */
			kill(-child, SIGCONT);
	}
	return code;
}

int supervise(pid_t child, int signals, bool tty)
{
	for (;;) {
		int signal = signals_next(signals);

		if (signal == SIGCHLD) {
			int code = reap(child, tty);

			if (code >= 0)
				return code;
		} else if (signals_forwarded(signal)) {
			kill(child, signal);
		}
	}
}
