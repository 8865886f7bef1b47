#include "net.h"

#include <string.h>

/* Length of header and first question, without looking into names; 0 when it has none that is well-formed. */
static size_t question_end(const uint8_t *query, size_t length)
{
	size_t at = DNS_HEADER;

	if (query[4] == 0 && query[5] == 0)
		return 0;
	while (at < length && query[at] != 0) {
		if (query[at] > 63)
			return 0;
		at += 1u + query[at];
	}
	at += 5;
	return at <= length && at <= DNS_QUESTION ? at : 0;
}

/* SERVFAIL for this query, ready to be sent (RFC 1035 section 4.1.1); 0 when it deserves no answer. */
size_t packet_failure(const uint8_t *query, size_t length, uint8_t answer[DNS_QUESTION])
{
	if (length < DNS_HEADER || (query[2] & 0x80))
		return 0;
	size_t end = question_end(query, length);
	size_t used = end ? end : DNS_HEADER;

	memcpy(answer, query, used);
	answer[2] = (uint8_t)(0x80 | (query[2] & 0x79)); /* a response; its opcode and RD are the query's */
	answer[3] = 0x82; /* RA, SERVFAIL */
	memset(answer + 4, 0, 8);
	answer[5] = end ? 1 : 0;
	return used;
}
