/*
 * ucp-init: PID 1 of a sandbox. It asks the control plane whether the image may run, runs the image's entrypoint,
 * and says how it ended. The lines on the socket are specified in src/core/init-protocol.ts.
 */
#ifndef UCP_INIT_H
#define UCP_INIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Fixed at build time: neither the environment nor the arguments, which the image chooses, can point elsewhere. */
#ifndef UCP_RUN_DIR
#define UCP_RUN_DIR "/.ucp/run"
#endif
#define UCP_INIT_PATH "/.ucp/init"

/* What /proc/PID/comm says before and after `go`; the health check reads it. */
#define NAME_WAITING "ucp-init-wait"
#define NAME_RUNNING "ucp-init"

#define MARKER_HEX 32

enum exit_code {
	EXIT_REFUSED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_BY_SIGNAL = 128,
};

enum verdict {
	VERDICT_GO,
	VERDICT_EXEC,
};

struct answer {
	enum verdict verdict;
	char marker[MARKER_HEX + 1]; /* empty: no end marker */
};

/* say.c: one line on stderr, "ucp-init: WHAT[: WHY]"; control characters become '?'. */
void say(const char *what, const char *why);
_Noreturn void refuse(const char *what, const char *why);

/* signals.c: masks are the kernel's 64 bits, since libc's calls hide the signals that libc uses itself. */
uint64_t signals_block(void);
void signals_restore(uint64_t mask);
int signals_open(uint64_t mask);
int signals_next(int fd);
bool signals_forwarded(int signal);
extern const uint64_t SIGNALS_ALL;
extern const uint64_t SIGNALS_ENDING;

/* protocol.c */
int protocol_connect(int endings);
struct answer protocol_ask(int sock, int endings);
void protocol_exit(int sock, int code);
void protocol_read(int sock, int endings, char *bytes, size_t size);

/* secret.c */
int secret_take(int sock, int endings, char *rest, bool file);

/* spawn.c */
_Noreturn void spawn_exec(char *const argv[]);
int spawn_try(char *path);
int spawn_tried(int pipe);
pid_t spawn_child(char *const argv[], uint64_t mask, bool tty);

/* supervise.c */
int supervise(pid_t child, int signals, bool tty);

/* marker.c */
void marker_write(const char *marker, int sock, int signals);

/* health.c */
_Noreturn void health_check(char *const argv[]);

#endif
