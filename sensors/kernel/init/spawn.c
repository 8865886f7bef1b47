#include "init.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs the program in place of the caller, found as execvp does with the environment's PATH. */
_Noreturn void spawn_exec(char *const argv[])
{
	struct stat found;

	execvp(argv[0], argv);
	int error = errno;

	if (error == ENOENT && strchr(argv[0], '/') && stat(argv[0], &found) == 0)
		say(argv[0], "its interpreter or loader is not in the image");
	else
		say(argv[0], strerror(error));
	_exit(error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

/*
 * Starts the workload in a process group of its own, so that `kill 0` inside doesn't reach init and a terminal's keys
 * reach the workload alone. The mask is restored last: TTOU must be blocked while the group takes the terminal.
 */
pid_t spawn_child(char *const argv[], uint64_t mask, bool tty)
{
	pid_t child = fork();

	if (child < 0)
		refuse("can't start the workload", strerror(errno));
	if (child > 0) {
		/* The reader of a pipe must be the workload alone, or its writer never learns that it closed it. */
		if (!tty)
			close(STDIN_FILENO);
		return child;
	}
	setpgid(0, 0);
	if (tty)
		tcsetpgrp(STDIN_FILENO, getpid());
	signals_restore(mask);
	spawn_exec(argv);
}
