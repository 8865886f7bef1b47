#include "net.h"

#include <string.h>

static bool hello(json_t *request, struct failure *why, json_t *answer, bool *greeted)
{
	json_error_t error;
	json_t *id;
	const char *op;
	json_int_t protocol;

	if (json_unpack_ex(request, &error, JSON_STRICT, "{s:o, s:s, s:I}", "id", &id, "op", &op, "protocol",
			   &protocol) < 0)
		return fail(why, "NET_REQUEST_INVALID", "", "%s", error.text);
	if (protocol != PROTOCOL_VERSION)
		return fail(why, "NET_PROTOCOL_UNKNOWN", "/protocol", "protocol %lld is not spoken here, only %d",
			    (long long)protocol, PROTOCOL_VERSION);
	*greeted = true;
	json_object_set_new(answer, "protocol", json_integer(PROTOCOL_VERSION));
	json_object_set_new(answer, "sandboxes", json_array());
	return true;
}

static bool serve(json_t *request, const char *op, bool *greeted, struct failure *why, json_t *answer)
{
	if (strcmp(op, "hello") == 0)
		return hello(request, why, answer, greeted);
	if (!*greeted)
		return fail(why, "NET_PROTOCOL_UNKNOWN", "/op", "expected hello with a protocol version first");
	return fail(why, "NET_REQUEST_INVALID", "/op", "expected hello");
}

/* The answer to a message, which the caller owns. */
json_t *request_answer(json_t *request, bool *greeted)
{
	struct failure why = { 0 };
	json_t *id = json_object_get(request, "id");
	const char *op = json_string_value(json_object_get(request, "op"));
	json_t *answer = must(json_pack("{s:O?, s:b}", "id", id, "ok", 1));

	if (serve(request, op ? op : "", greeted, &why, answer))
		return answer;
	json_decref(answer);
	return must(json_pack("{s:O?, s:b, s:s, s:s, s:s}", "id", id, "ok", 0, "code", why.code, "pointer", why.pointer,
			      "message", why.message));
}
