#include "greet.h"

#include <string.h>

bool refuse_shape(struct failure *why, const json_error_t *error)
{
	return fail(why, "KERNEL_REQUEST_INVALID", "", "%s", error->text);
}

/* `hello`, and that it comes first. True when the request is another one, or was a good greeting. */
static bool greeted_by(json_t *request, const char *type, bool *greeted, struct failure *why, json_t *answer)
{
	json_error_t error;
	json_t *id;
	json_int_t protocol;

	if (strcmp(type, "hello") != 0)
		return *greeted ||
		       fail(why, "KERNEL_PROTOCOL_UNKNOWN", "/type", "expected hello with a protocol version first");
	if (json_unpack_ex(request, &error, JSON_STRICT, "{s:o, s:s, s:I}", "id", &id, "type", &type, "protocol",
			   &protocol) < 0)
		return refuse_shape(why, &error);
	if (protocol != PROTOCOL_VERSION)
		return fail(why, "KERNEL_PROTOCOL_UNKNOWN", "/protocol", "protocol %lld is not spoken here, only %d",
			    (long long)protocol, PROTOCOL_VERSION);
	*greeted = true;
	json_object_set_new(answer, "protocol", json_integer(PROTOCOL_VERSION));
	return true;
}

/* Answers a message by `serve`, which may refuse it; the caller owns the answer. */
json_t *answer_to(json_t *request, bool *greeted, server *serve)
{
	struct failure why = { 0 };
	json_t *id = json_object_get(request, "id");
	const char *said = json_string_value(json_object_get(request, "type"));
	const char *type = said ? said : "";
	json_t *answer = must(json_pack("{s:O?, s:b}", "id", id, "ok", 1));

	if (greeted_by(request, type, greeted, &why, answer) && serve(request, type, &why, answer))
		return answer;
	json_decref(answer);
	return must(json_pack("{s:O?, s:b, s:s, s:s, s:s}", "id", id, "ok", 0, "code", why.code, "pointer", why.pointer,
			      "message", why.message));
}
