#include "hold.h"

#include "greet.h"

#include <string.h>
#include <unistd.h>

static bool list_held(json_t *answer)
{
	json_t *list = must(json_array());

	for (const struct held *at = all; at; at = at->next)
		json_array_append_new(list, json_pack("{s:s, s:i, s:I, s:i, s:i, s:i}", "sandbox", at->name, "pid",
						      (int)getpid(), "place", at->place, "state", at->state, "group",
						      at->group, "guard", at->guard));
	json_object_set_new(answer, "sandboxes", list);
	return true;
}

static bool fine(const char *name, struct failure *why)
{
	return (*name != '\0' && strlen(name) <= NAME_MAX_BYTES) ||
	       fail(why, "KERNEL_REQUEST_INVALID", "/sandbox", "expected a name of 1 to %d bytes", NAME_MAX_BYTES);
}

static bool hold(json_t *request, struct failure *why)
{
	json_error_t error;
	json_t *id;
	const char *type, *name;
	int pid;
	struct held theirs;

	if (json_unpack_ex(request, &error, JSON_STRICT, "{s:o, s:s, s:s, s:i, s:I, s:i, s:i, s:i}", "id", &id, "type",
			   &type, "sandbox", &name, "pid", &pid, "place", &theirs.place, "state", &theirs.state,
			   "group", &theirs.group, "guard", &theirs.guard) < 0)
		return refuse_shape(why, &error);
	return fine(name, why) && held_take(name, pid, &theirs, why);
}

static bool release(json_t *request, struct failure *why)
{
	json_error_t error;
	json_t *id;
	const char *type, *name;

	if (json_unpack_ex(request, &error, JSON_STRICT, "{s:o, s:s, s:s}", "id", &id, "type", &type, "sandbox",
			   &name) < 0)
		return refuse_shape(why, &error);
	held_release(name);
	return true;
}

static bool serve(json_t *request, const char *type, struct failure *why, json_t *answer)
{
	if (strcmp(type, "hello") == 0)
		return list_held(answer);
	if (strcmp(type, "hold") == 0)
		return hold(request, why);
	if (strcmp(type, "release") == 0)
		return release(request, why);
	return fail(why, "KERNEL_REQUEST_INVALID", "/type", "expected hello, hold or release");
}

/* The answer to a message, which the caller owns. */
json_t *request_answer(json_t *request, bool *greeted)
{
	return answer_to(request, greeted, serve);
}
