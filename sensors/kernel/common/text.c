#include "common.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

struct sequence {
	size_t length; /* 0: no sequence begins with this byte */
	unsigned char low; /* bounds of the second byte, */
	unsigned char high; /* which shut out overlong forms, surrogates and what is above U+10FFFF */
};

static struct sequence begun_by(unsigned char byte)
{
	if (byte < 0x80)
		return (struct sequence){ 1, 0, 0 };
	if (byte >= 0xc2 && byte <= 0xdf)
		return (struct sequence){ 2, 0x80, 0xbf };
	if (byte >= 0xe0 && byte <= 0xef)
		return (struct sequence){ 3, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf };
	if (byte >= 0xf0 && byte <= 0xf4)
		return (struct sequence){ 4, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf };
	return (struct sequence){ 0, 0, 0 };
}

/* Length of the valid begin of a sequence; `whole` says whether nothing of it is missing. */
static size_t valid_begin(const unsigned char *bytes, size_t left, bool *whole)
{
	struct sequence sequence = begun_by(bytes[0]);
	size_t got = 1;

	while (got < sequence.length && got < left) {
		unsigned char low = got == 1 ? sequence.low : 0x80;
		unsigned char high = got == 1 ? sequence.high : 0xbf;

		if (bytes[got] < low || bytes[got] > high)
			break;
		got++;
	}
	*whole = sequence.length > 0 && got == sequence.length;
	return got;
}

/* Writes at most 3 × length bytes, without an end; each ill-formed part becomes one U+FFFD (WHATWG Encoding 8.1.1). */
size_t text_decode(const char *bytes, size_t length, char *text)
{
	size_t used = 0;

	for (size_t at = 0; at < length;) {
		bool whole;
		size_t got = valid_begin((const unsigned char *)bytes + at, length - at, &whole);

		memcpy(text + used, whole ? bytes + at : REPLACEMENT, whole ? got : 3);
		used += whole ? got : 3;
		at += got;
	}
	return used;
}
