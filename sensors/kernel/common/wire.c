#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LENGTH_BYTES 4

static void reserve(struct bytes *bytes, size_t more)
{
	if (bytes->used + more <= bytes->size)
		return;
	bytes->size = (bytes->used + more) * 2;
	bytes->data = must(realloc(bytes->data, bytes->size));
}

static void drop(struct bytes *bytes, size_t count)
{
	bytes->used -= count;
	memmove(bytes->data, bytes->data + count, bytes->used);
}

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (length == 0)
		return;
	reserve(bytes, length);
	memcpy(bytes->data + bytes->used, data, length);
	bytes->used += length;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}

/* Takes what has arrived; false when the peer is gone. */
bool wire_receive(int sock, struct bytes *in)
{
	reserve(in, 64 * 1024);
	ssize_t got = recv(sock, in->data + in->used, in->size - in->used, MSG_DONTWAIT);

	if (got > 0)
		in->used += (size_t)got;
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Sends what the peer takes now; false when it is gone. */
bool wire_send(int sock, struct bytes *out)
{
	ssize_t sent = out->used ? send(sock, out->data, out->used, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;

	if (sent > 0)
		drop(out, (size_t)sent);
	return sent >= 0 || errno == EAGAIN || errno == EINTR;
}

/* Takes one whole message from the buffer: a length of 4 bytes, big-endian, and as many of JSON. */
enum frame wire_next(struct bytes *in, json_t **message)
{
	uint32_t length;

	if (in->used < LENGTH_BYTES)
		return FRAME_PARTIAL;
	memcpy(&length, in->data, LENGTH_BYTES);
	length = ntohl(length);
	if (length > FRAME_MAX_BYTES)
		return FRAME_TOO_LARGE;
	if (in->used < LENGTH_BYTES + length)
		return FRAME_PARTIAL;
	*message = json_loadb(in->data + LENGTH_BYTES, length, JSON_REJECT_DUPLICATES, NULL);
	drop(in, LENGTH_BYTES + length);
	return *message ? FRAME_WHOLE : FRAME_NOT_JSON;
}

void wire_put(struct bytes *out, const json_t *message)
{
	char *text = must(json_dumps(message, JSON_COMPACT));
	size_t length = strlen(text);
	uint32_t prefix = htonl((uint32_t)length);

	bytes_add(out, &prefix, LENGTH_BYTES);
	bytes_add(out, text, length);
	free(text);
}
