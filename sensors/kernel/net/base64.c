#include "net.h"

#include <stdlib.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

json_t *base64_encode(const uint8_t *bytes, size_t length)
{
	char *text = must(malloc((length + 2) / 3 * 4 + 1));
	size_t used = 0;

	for (size_t at = 0; at < length; at += 3) {
		size_t left = length - at;
		uint32_t group = (uint32_t)bytes[at] << 16;

		group |= left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0;
		group |= left > 2 ? bytes[at + 2] : 0;
		text[used++] = letters[group >> 18];
		text[used++] = letters[group >> 12 & 63];
		text[used++] = left > 1 ? letters[group >> 6 & 63] : '=';
		text[used++] = left > 2 ? letters[group & 63] : '=';
	}
	json_t *string = must(json_stringn(text, used));

	free(text);
	return string;
}

static int value_of(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return letter - 'A';
	if (letter >= 'a' && letter <= 'z')
		return letter - 'a' + 26;
	if (letter >= '0' && letter <= '9')
		return letter - '0' + 52;
	return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* With its padding, as RFC 4648 section 4 has it; the bits that are left over don't matter. `bytes` has 3/4 × length.
 */
bool base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *used)
{
	*used = 0;
	if (length % 4 != 0)
		return false;
	for (size_t at = 0; at < length; at += 4) {
		bool last = at + 4 == length;
		size_t padding = !last || text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
		uint32_t group = 0;

		for (size_t index = 0; index < 4; index++) {
			int value = index < 4 - padding ? value_of(text[at + index]) : 0;

			if (value < 0)
				return false;
			group = group << 6 | (uint32_t)value;
		}
		for (size_t index = 0; index < 3 - padding; index++)
			bytes[(*used)++] = (uint8_t)(group >> (16 - 8 * index));
	}
	return true;
}
