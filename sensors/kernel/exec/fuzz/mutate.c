#include "fuzz.h"

#include <string.h>

static uint64_t state;

void seed(uint64_t value)
{
	state = value | 1;
}

uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (uint32_t)(state >> 16) % below : 0;
}

/* Strings of the protocol, then what else is worth a try. */
#define STRINGS 16
static const char *const WORDS[] = {
	"\"id\"",
	"\"type\"",
	"\"hello\"",
	"\"attach\"",
	"\"update\"",
	"\"detach\"",
	"\"counters\"",
	"\"sandbox\"",
	"\"pid\"",
	"\"mode\"",
	"\"enforce\"",
	"\"observe\"",
	"\"drift\"",
	"\"deny\"",
	"\"allow\"",
	"\"generation\"",
	"null",
	"true",
	"[]",
	"{}",
	"[\"^(?:/a)$\"]",
	"13",
	"-1",
	"2147483648",
	"1e999",
	"9223372036854775808",
	"\\u0000",
	"\\ud800",
	"\xff",
	"(?:",
	"[^/]*",
	"\\\\Q",
	"(?R)",
	"{1,65535}",
	"\n",
	"#\n",
	"\xef\xbf\xbd",
	"\"",
	",",
	":",
};

static void change_bytes(struct input *input, size_t at, size_t gone, const char *bytes, size_t length)
{
	if (input->length - gone + length > INPUT_MAX)
		return;
	memmove(input->bytes + at + length, input->bytes + at + gone, input->length - at - gone);
	memcpy(input->bytes + at, bytes, length);
	input->length += length - gone;
}

/* The first string after the place becomes the word. */
static void change_string(struct input *input, size_t at, const char *word)
{
	const char *begin = memchr(input->bytes + at, '"', input->length - at);
	size_t left = begin ? input->length - (size_t)(begin - input->bytes) - 1 : 0;
	const char *end = left ? memchr(begin + 1, '"', left) : NULL;

	if (end)
		change_bytes(input, (size_t)(begin - input->bytes), (size_t)(end - begin) + 1, word, strlen(word));
}

void mutate_once(struct input *input, const struct input *other)
{
	uint32_t length = (uint32_t)input->length;
	uint32_t at = draw(length + 1);
	uint32_t gone = draw((length - at < 16 ? length - at : 16) + 1);
	const char *word = WORDS[draw(sizeof(WORDS) / sizeof(*WORDS))];
	char byte = (char)draw(256);
	char copy[INPUT_MAX];
	uint32_t from;

	switch (draw(8)) {
	case 6:
	case 7:
		change_string(input, at, WORDS[draw(STRINGS)]);
		break;
	case 0:
		change_bytes(input, at, at < length, &byte, 1);
		break;
	case 1:
		change_bytes(input, at, gone, "", 0);
		break;
	case 2:
		change_bytes(input, at, 0, word, strlen(word));
		break;
	case 3:
		change_bytes(input, at, gone, word, strlen(word));
		break;
	case 4: /* from another one */
		from = draw((uint32_t)other->length);
		change_bytes(input, at, gone, other->bytes + from, draw((uint32_t)(other->length - from) + 1));
		break;
	default: /* again */
		memcpy(copy, input->bytes + at, length - at);
		change_bytes(input, at, 0, copy, draw(length - at + 1));
	}
}
