#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* How the sources of the policy say that the text ends there; a slash may come before. */
#define END "(?![\\s\\S]))"
#define SLASH "/?"

/* True when all groups are plain or look around: no option changes what a letter stands for. */
static bool is_plain(const char *source)
{
	for (const char *at = source; (at = strstr(at, "(?")); at += 2) {
		if (!strchr(":=!", at[2]))
			return false;
	}
	return !strchr(source, '\\') || !strstr(source, "\\Q");
}

/*
 * Literal text that every match ends with, but for one slash, as owned text; "" where there is none. NULL where the
 * source is not of the policy's form: then its prefix says nothing of matches either.
 */
char *suffix_of(const char *source)
{
	size_t length = strlen(source);
	size_t end = length - strlen(END);

	if (length < strlen(END) || strcmp(source + end, END) != 0 || !is_plain(source) || !is_one_group(source))
		return NULL;
	if (has_alternatives(source))
		return must(calloc(1, 1));
	if (end >= strlen(SLASH) && strncmp(source + end - strlen(SLASH), SLASH, strlen(SLASH)) == 0)
		end -= strlen(SLASH);
	size_t begin = end;

	while (begin > strlen(BEGIN) && !strchr("^$.*+?()[]{}|\\", source[begin - 1]))
		begin--;
	/* The byte after a backslash may stand for another one. */
	if (begin < end && source[begin - 1] == '\\')
		begin++;
	return must(strndup(source + begin, end - begin));
}

/* True when the text ends with the suffix, whether or not a slash comes after it. */
bool suffix_fits(const char *suffix, const char *text, size_t length)
{
	size_t wanted = strlen(suffix);

	if (length > 0 && text[length - 1] == '/' && wanted > 0 && suffix[wanted - 1] != '/')
		length--;
	return wanted <= length && memcmp(text + length - wanted, suffix, wanted) == 0;
}
