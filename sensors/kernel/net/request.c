#include "net.h"

#include <string.h>

#define WAITING_MAX 1024

static const struct op {
	const char *name;
	bool (*serve)(struct call *call);
	bool changes; /* waits for what changes the same sandbox before it */
} ops[] = {
	{ "hello", op_hello, false },		{ "attach", op_attach, true },
	{ "update", op_update, true },		{ "elements", op_elements, true },
	{ "detach", op_detach, true },		{ "counters", op_counters, false },
	{ "dns_answer", op_dns_answer, false }, { "dns_drop", op_dns_drop, false },
	{ "dns_local", op_dns_local, false },
};

static const struct op *op_named(const char *name)
{
	for (size_t at = 0; name && at < sizeof(ops) / sizeof(*ops); at++) {
		if (strcmp(ops[at].name, name) == 0)
			return &ops[at];
	}
	return NULL;
}

/* Takes over the answer, which gets the request's id. */
static json_t *finish(json_t *request, json_t *answer, const struct failure *why)
{
	json_t *id = json_object_get(request, "id");
	json_t *head = answer ? must(json_pack("{s:O?, s:b}", "id", id, "ok", 1))
			      : must(json_pack("{s:O?, s:b, s:s, s:s, s:s}", "id", id, "ok", 0, "code", why->code,
					       "pointer", why->pointer, "message", why->message));

	if (answer) {
		json_object_update(head, answer);
		json_decref(answer);
	}
	return head;
}

/* Answers a request whose `call.later` was set, if its client is still there. Takes over the answer; NULL: refused. */
void request_later(json_t *request, unsigned client, json_t *answer, const struct failure *why)
{
	json_t *message = finish(request, answer, why);

	if (client == client_number())
		client_send(message, false);
	else
		json_decref(message);
}

static bool wait_for(struct sandbox *sandbox, struct call *call)
{
	if (json_array_size(sandbox->waiting) >= WAITING_MAX)
		return fail(&call->why, "NET_BUSY", "", "%d requests wait for this sandbox's rules already",
			    WAITING_MAX);
	call->later = true;
	json_array_append_new(sandbox->waiting, must(json_pack("[O, I]", call->request, (json_int_t)client_number())));
	return true;
}

static bool serve(struct call *call, bool *greeted)
{
	const struct op *op = op_named(json_string_value(json_object_get(call->request, "op")));
	const char *name = json_string_value(json_object_get(call->request, "sandbox"));
	struct sandbox *sandbox = name ? sandbox_find(name) : NULL;
	bool hello = op && op->serve == op_hello;

	if (!hello && !*greeted)
		return fail(&call->why, "NET_PROTOCOL_UNKNOWN", "/op", "expected hello with a protocol version first");
	if (!op)
		return fail(&call->why, "NET_REQUEST_INVALID", "/op",
			    "expected hello, attach, update, elements, counters, detach, dns_answer, dns_drop or "
			    "dns_local");
	if (op->changes && sandbox && sandbox->job)
		return wait_for(sandbox, call);
	bool served = op->serve(call);

	*greeted = *greeted || (hello && served);
	return served;
}

json_t *request_answer(json_t *request, bool *greeted)
{
	struct call call = { .request = request, .answer = must(json_object()) };

	if (serve(&call, greeted) && !call.later)
		return finish(request, call.answer, NULL);
	json_decref(call.answer);
	return call.later ? NULL : finish(request, NULL, &call.why);
}

/* Serves what waited for a sandbox's rules, in its order; what a client that is gone asked for is forgotten. */
void request_waiting(json_t *waiting)
{
	size_t index;
	json_t *pair;

	json_array_foreach(waiting, index, pair)
	{
		bool greeted = true;
		json_t *request = json_array_get(pair, 0);

		if ((unsigned)json_integer_value(json_array_get(pair, 1)) != client_number())
			continue;
		json_t *answer = request_answer(request, &greeted);

		if (answer)
			client_send(answer, false);
	}
}
