/* How ucp-kernel, ucp-hold and ucp-trace answer: the greeting, and the form of answers. */
#ifndef UCP_GREET_H
#define UCP_GREET_H

#include "common.h"

/* Serves a request after the greeting, and the greeting (`hello`) itself once it is accepted. */
typedef bool server(json_t *request, const char *type, struct failure *why, json_t *answer);

bool refuse_shape(struct failure *why, const json_error_t *error);
json_t *answer_to(json_t *request, bool *greeted, server *serve);

#endif
