#include "kernel.h"

#include <stdlib.h>
#include <string.h>

/* The byte after the character class that begins at `at`. */
static const char *after_class(const char *at)
{
	for (at++; *at && *at != ']'; at++) {
		if (*at == '\\' && at[1])
			at++;
	}
	return *at ? at + 1 : at;
}

/* True when the outermost group has alternatives: then its first literal text says nothing of the others. */
bool has_alternatives(const char *source)
{
	int depth = 0;

	for (const char *at = source; *at;) {
		if (*at == '[') {
			at = after_class(at);
			continue;
		}
		if (*at == '|' && depth <= 1)
			return true;
		depth += (*at == '(') - (*at == ')');
		at += *at == '\\' && at[1] ? 2 : 1;
	}
	return false;
}

/* True when the whole source is one group: what it begins and ends with can't be left out of a match. */
bool is_one_group(const char *source)
{
	int depth = 0;

	if (strncmp(source, BEGIN, strlen(BEGIN)) != 0)
		return false;
	for (const char *at = source + 1; *at;) {
		if (*at == '[') {
			at = after_class(at);
			continue;
		}
		depth += (*at == '(') - (*at == ')');
		if (depth == 0)
			return at[1] == '\0';
		at += *at == '\\' && at[1] ? 2 : 1;
	}
	return false;
}

/* Where a walk that looks for matches of the source may begin, as owned text; "" is anywhere. */
char *prefix_of(const char *source)
{
	char *prefix = must(calloc(strlen(source) + 1, 1));
	size_t length = 0;

	if (strncmp(source, BEGIN, strlen(BEGIN)) != 0 || has_alternatives(source))
		return prefix;
	const char *at = source + strlen(BEGIN);

	while (*at && !strchr("^$.*+?()[]{}|", *at)) {
		/* Of the escapes only those of punctuation stand for themselves. */
		if (*at == '\\' && !(at[1] && strchr("^$.*+?()[]{}|/\\-", at[1])))
			break;
		at += *at == '\\';
		prefix[length++] = *at++;
	}
	if (length > 0 && *at && strchr("*?{", *at))
		length--;
	while (length > 0 && prefix[length - 1] != '/')
		length--;
	prefix[length] = '\0';
	return prefix;
}

/* True when the directory (no slash at its end, "" is the root) is on the way to the prefix or below it. */
bool prefix_reaches(const char *prefix, const char *directory)
{
	size_t length = strlen(directory);
	size_t wanted = strlen(prefix);

	if (wanted <= length + 1)
		return wanted == 0 || (strncmp(directory, prefix, wanted - 1) == 0 &&
				       (directory[wanted - 1] == '/' || directory[wanted - 1] == '\0'));
	return strncmp(prefix, directory, length) == 0 && prefix[length] == '/';
}
