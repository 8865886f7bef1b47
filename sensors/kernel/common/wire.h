/* Messages on a stream socket. */
#ifndef UCP_WIRE_H
#define UCP_WIRE_H

#include "common.h"

struct bytes {
	char *data;
	size_t used;
	size_t size;
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);
void bytes_free(struct bytes *bytes);

enum frame { FRAME_PARTIAL, FRAME_WHOLE, FRAME_TOO_LARGE, FRAME_NOT_JSON };

bool wire_receive(int sock, struct bytes *in);
bool wire_send(int sock, struct bytes *out);
enum frame wire_next(struct bytes *in, json_t **message);
void wire_put(struct bytes *out, const json_t *message);

#endif
