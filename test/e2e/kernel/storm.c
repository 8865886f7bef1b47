/*
 * `storm WORKERS DENIED ALLOWED`: until /tmp/stop is there, each worker executes DENIED, opens it, and executes a fresh
 * copy of ALLOWED. Then says, as JSON, what came of it. It is the witness of the faults' tests.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
	_Atomic long denied_ran, denied_refused, read, unread, allowed_ran, allowed_refused;
};

static struct counts *counts;
static char program[1 << 20];
static size_t length;

/* Executes the file; true when it ran. */
static int runs(const char *path)
{
	int status;
	pid_t child = vfork();

	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		execl(path, path, NULL);
		_exit(126);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		exit(3);
	return status == 0;
}

static int runs_fresh(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	if (fd < 0 || write(fd, program, length) != (ssize_t)length || close(fd) < 0)
		exit(4);
	int ran = runs(path);

	unlink(path);
	return ran;
}

static void work(int number, const char *denied)
{
	char fresh[64];

	snprintf(fresh, sizeof(fresh), "/tmp/fresh-%d", number);
	while (access("/tmp/stop", F_OK) != 0) {
		runs(denied) ? counts->denied_ran++ : counts->denied_refused++;
		int fd = open(denied, O_RDONLY | O_CLOEXEC);

		fd < 0 ? counts->unread++ : counts->read++;
		if (fd >= 0)
			close(fd);
		runs_fresh(fresh) ? counts->allowed_ran++ : counts->allowed_refused++;
	}
	exit(0);
}

int main(int argc, char *argv[])
{
	if (argc != 4)
		return 2;
	FILE *file = fopen(argv[3], "r");
	int status, failed = 0;

	length = file ? fread(program, 1, sizeof(program), file) : 0;
	if (!length)
		return 2;
	fclose(file);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int number = 0; number < atoi(argv[1]); number++) {
		if (fork() == 0)
			work(number, argv[2]);
	}
	while (wait(&status) > 0)
		failed |= status;
	printf("{\"deniedRan\":%ld,\"deniedRefused\":%ld,\"read\":%ld,\"unread\":%ld,\"allowedRan\":%ld,"
	       "\"allowedRefused\":%ld}\n",
	       counts->denied_ran, counts->denied_refused, counts->read, counts->unread, counts->allowed_ran,
	       counts->allowed_refused);
	return failed != 0;
}
