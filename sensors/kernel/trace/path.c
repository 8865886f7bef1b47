#include "trace.h"

#include <stdlib.h>
#include <string.h>

/* Puts components, which come last one first and each with a NUL, together to an absolute path in PATH_ROOM + 2 bytes. */
size_t path_of(const char *components, size_t length, char *path)
{
	size_t used = 0;
	size_t end = length;

	while (end > 0) {
		size_t start = end - 1;

		while (start > 0 && components[start - 1] != '\0')
			start--;
		size_t bytes = strnlen(components + start, end - start);

		path[used++] = '/';
		/* A name that is the root of something without a place has the slash itself. */
		if (bytes > 0 && components[start] == '/')
			used--;
		memcpy(path + used, components + start, bytes);
		used += bytes;
		end = start;
	}
	if (used == 0)
		path[used++] = '/';
	path[used] = '\0';
	return used;
}

static const char DIGITS[] = "0123456789abcdef";

/* Adds bytes as text, and where they are none their exact value as KEYHex. */
void put_text(json_t *event, const char *key, const char *bytes, size_t length)
{
	char *text = must(malloc(3 * length + 1));
	size_t decoded = text_decode(bytes, length, text);

	json_object_set_new(event, key, json_stringn(text, decoded));
	if (decoded != length || memcmp(text, bytes, length) != 0) {
		char name[32];

		for (size_t at = 0; at < length; at++) {
			text[2 * at] = DIGITS[(unsigned char)bytes[at] >> 4];
			text[2 * at + 1] = DIGITS[(unsigned char)bytes[at] & 15];
		}
		strncpy(name, key, sizeof(name) - 4);
		name[sizeof(name) - 4] = '\0';
		strcat(name, "Hex");
		json_object_set_new(event, name, json_stringn(text, 2 * length));
	}
	free(text);
}
