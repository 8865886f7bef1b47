#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void say(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s%s%s\n", program.name, what, why ? ": " : "", why ? why : "");
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
