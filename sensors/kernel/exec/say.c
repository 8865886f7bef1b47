#include "kernel.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void say(const char *what, const char *why)
{
	fprintf(stderr, "ucp-kernel: %s%s%s\n", what, why ? ": " : "", why ? why : "");
}

_Noreturn void die(const char *what, const char *why)
{
	say(what, why);
	exit(1);
}

/* Out of memory is the end: a half-made list would decide wrongly. */
void *must(void *allocated)
{
	if (!allocated)
		abort();
	return allocated;
}

static void *close_now(void *fd)
{
	close((int)(intptr_t)fd);
	return NULL;
}

/*
 * Closes a group of fanotify without waiting. The kernel ends one only when no event waits that any of its marks took
 * part in, and that event may be another group's, for us to answer.
 */
void close_later(int fd)
{
	pthread_t closer;

	if (fd < 0)
		return;
	if (pthread_create(&closer, NULL, close_now, (void *)(intptr_t)fd) != 0)
		die("no thread can be started", NULL);
	pthread_detach(closer);
}

/* Fills in why a request is refused; always false. */
bool fail(struct failure *why, const char *code, const char *pointer, const char *format, ...)
{
	va_list arguments;

	why->code = code;
	snprintf(why->pointer, sizeof(why->pointer), "%s", pointer);
	va_start(arguments, format);
	vsnprintf(why->message, sizeof(why->message), format, arguments);
	va_end(arguments);
	return false;
}
