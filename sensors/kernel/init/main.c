#include "init.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Waits for the verdict with only the ending signals read; all others stay pending for the workload. */
static struct answer ask(int *sock)
{
	int endings = signals_open(SIGNALS_ENDING);

	*sock = protocol_connect(endings);
	struct answer answer = protocol_ask(*sock, endings);

	close(endings);
	return answer;
}

static _Noreturn void run(char *const argv[], uint64_t mask)
{
	int sock;
	struct answer answer = ask(&sock);

	if (answer.verdict == VERDICT_EXEC) {
		signals_restore(mask);
		spawn_exec(argv);
	}
	bool tty = isatty(STDIN_FILENO);

	prctl(PR_SET_NAME, NAME_RUNNING);
	/* Orphans come to us also where the sandbox has no PID namespace of its own. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	int signals = signals_open(SIGNALS_ALL);
	int code = supervise(spawn_child(argv, mask, tty), signals, tty);

	close(signals);
	if (answer.marker[0])
		marker_write(answer.marker, sock, signals_open(SIGNALS_ENDING));
	protocol_exit(sock, code);
	_exit(code);
}

int main(int argc, char *argv[])
{
	/* As PID 1 we are the init whatever the image's first argument is. */
	if (getpid() != 1 && argc > 1 && strcmp(argv[1], "healthcheck") == 0)
		health_check(argv + 2);
	prctl(PR_SET_NAME, NAME_WAITING);
	/* The workload may run as our own user: it must not trace init, read its memory or take its socket. */
	prctl(PR_SET_DUMPABLE, 0);
	uint64_t mask = signals_block();

	if (argc < 2)
		refuse("expected a command", NULL);
	run(argv + 1, mask);
}
