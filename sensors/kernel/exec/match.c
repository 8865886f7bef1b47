#include "kernel.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a length of 4 bytes, big-endian, and as many bytes, which are owned by the caller; NULL at the end. */
static char *next(size_t *length)
{
	uint32_t prefix;

	if (fread(&prefix, sizeof(prefix), 1, stdin) != 1)
		return NULL;
	*length = ntohl(prefix);
	if (*length > FRAME_MAX_BYTES)
		die("expected pairs of length-prefixed strings", NULL);
	char *bytes = must(malloc(*length + 1));

	if (fread(bytes, 1, *length, stdin) != *length)
		die("the input ends within a string", NULL);
	bytes[*length] = '\0';
	return bytes;
}

static char verdict(const struct rules *rules, const char *path, size_t length)
{
	char *text = must(malloc(3 * length + 1));
	int found = rules_find(rules, text, text_decode(path, length, text));

	free(text);
	return found >= 0 ? '1' : found == RULE_NONE ? '0' : 'L';
}

/* For tests: pairs of a regex source and a path on stdin, one of 1 (matches), 0 and L (limit) for each on stdout. */
int match_pairs(void)
{
	struct rules rules = { 0 };
	char *last = NULL;
	size_t source_length, length;

	for (char *source; (source = next(&source_length));) {
		char *path = next(&length);

		if (!path)
			die("the last source has no path", NULL);
		if (!last || strcmp(last, source) != 0) {
			struct failure why;
			json_t *list = must(json_pack("[s#]", source, (int)source_length));

			rules_free(&rules);
			if (!rules_compile(&rules, list, "", &why))
				die(why.code, why.message);
			json_decref(list);
		}
		free(last);
		last = source;
		putchar(verdict(&rules, path, length));
		free(path);
	}
	free(last);
	rules_free(&rules);
	return 0;
}
