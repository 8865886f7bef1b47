#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
 * A child executes the file, which must be empty: that can't succeed, but the kernel asks first whether it may. Returns
 * a pipe that has errno as one byte when it is done, and nothing when the file is another one.
 */
int spawn_try(char *path)
{
	int ends[2];
	struct stat found;

	if (pipe2(ends, O_CLOEXEC) < 0)
		refuse("can't make a pipe", strerror(errno));
	pid_t child = fork();

	if (child < 0)
		refuse("can't try an exec", strerror(errno));
	if (child == 0) {
		if (stat(path, &found) < 0 || !S_ISREG(found.st_mode) || found.st_size != 0)
			_exit(0);
		execve(path, (char *[]){ path, NULL }, (char *[]){ NULL });
		unsigned char error = (unsigned char)errno;

		_exit(write(ends[1], &error, 1) != 1);
	}
	close(ends[1]);
	return ends[0];
}

int spawn_tried(int pipe)
{
	unsigned char error = 0;

	if (read(pipe, &error, 1) < 1)
		error = 0;
	close(pipe);
	/* There is no other child yet. */
	while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		continue;
	return error;
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
