/* What the privileged programs (exec, hold, net, trace) share: their end of the control plane's socket, and small words. */
#ifndef UCP_COMMON_H
#define UCP_COMMON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROTOCOL_VERSION 1
#define FRAME_MAX_BYTES (4u << 20)

/* What each program says about itself. */
struct program {
	const char *name;
	const char *invalid; /* code of a request that is none */
};

extern const struct program program;

/* The answer to a message, which the caller owns; NULL when it is sent later. Each program's own. */
json_t *request_answer(json_t *request, bool *greeted);

/* say.c */
struct failure {
	const char *code;
	char message[512];
	char pointer[64];
};

void say(const char *what, const char *why);
_Noreturn void die(const char *what, const char *why);
void *must(void *allocated);
bool fail(struct failure *why, const char *code, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* text.c: what `new TextDecoder().decode(bytes)` makes of them, so that both sides match the same text. */
size_t text_decode(const char *bytes, size_t length, char *text);

/* client.c */
void client_setup(bool listening, const char *path);
int client_descriptor(void);
short client_interest(void);
int client_wait_ms(void);
void client_serve(short events);
bool client_send(json_t *message, bool event);
bool client_greeted(void);
bool client_is_idle(unsigned int *losses);
unsigned client_number(void);

/* later.c */
void close_later(int fd);

/* take.c: descriptors of other processes. */
bool is_group(int fd);
int take_descriptor(int pid, int fd, int lowest);
int take_group(int pid, int fd, int lowest);

/* Numbers of groups of fanotify that are asked first; those of others stay below. See decide_group. */
#define FIRST_NUMBER 16384

/* status.c */
struct status {
	char name[64];
	int parent;
	int inside; /* its number in the innermost PID namespace */
	int64_t uid;
};

bool status_of(int pid, struct status *status);

/* caps.c */
void caps_drop(uint32_t kept, const char *names);

#endif
