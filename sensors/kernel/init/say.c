#include "init.h"

#include <string.h>
#include <unistd.h>

/* Appends text to line, which holds at most size bytes with room left for the newline. */
static size_t append(char *line, size_t used, size_t size, const char *text)
{
	for (; *text && used + 1 < size; text++) {
		unsigned char c = (unsigned char)*text;

		line[used++] = c < 0x20 || c == 0x7f ? '?' : *text;
	}
	return used;
}

void say(const char *what, const char *why)
{
	char line[1200];
	size_t used = append(line, 0, sizeof(line), "ucp-init: ");

	used = append(line, used, sizeof(line), what);
	if (why) {
		used = append(line, used, sizeof(line), ": ");
		used = append(line, used, sizeof(line), why);
	}
	line[used++] = '\n';
	/* Nobody to tell when this fails: the exit code says it as well. */
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}

_Noreturn void refuse(const char *what, const char *why)
{
	say(what, why);
	_exit(EXIT_REFUSED);
}
