#include "trace.h"

#include "greet.h"

#include <string.h>

static bool introduce(json_t *answer)
{
	json_object_set_new(answer, "observedBy", json_string(observer->name));
	json_object_set_new(answer, "why", json_string(observer_why()));
	return true;
}

static bool unpack(json_t *request, bool with_pid, const char **name, int *pid, struct failure *why)
{
	json_error_t error;
	json_t *id;
	const char *type;

	if (json_unpack_ex(request, &error, JSON_STRICT, with_pid ? "{s:o, s:s, s:s, s:i}" : "{s:o, s:s, s:s}", "id", &id,
			   "type", &type, "sandbox", name, "pid", pid) < 0)
		return refuse_shape(why, &error);
	if (**name == '\0' || strlen(*name) > NAME_MAX_BYTES)
		return fail(why, program.invalid, "/sandbox", "expected a name of 1 to %d bytes", NAME_MAX_BYTES);
	if (with_pid && *pid <= 0)
		return fail(why, program.invalid, "/pid", "expected the number of a process");
	return true;
}

static bool attach(const char *name, int pid, struct failure *why)
{
	if (sandbox_named(name))
		return fail(why, "KERNEL_SANDBOX_EXISTS", "/sandbox", "a sandbox of this name is attached already");
	return sandbox_attach(name, pid, why) != NULL;
}

static void count(const struct sandbox *sandbox, json_t *answer)
{
	json_object_set_new(answer, "execs", json_integer((json_int_t)sandbox->execs));
	json_object_set_new(answer, "exits", json_integer((json_int_t)sandbox->exits));
	json_object_set_new(answer, "told", json_integer((json_int_t)(sandbox->told + sandbox->in_flight)));
	json_object_set_new(answer, "lostByClient", json_integer((json_int_t)sandbox->lost[LOSS_CLIENT]));
	json_object_set_new(answer, "lostByKernel", json_integer((json_int_t)sandbox->lost[LOSS_KERNEL]));
	json_object_set_new(answer, "lostForks", json_integer((json_int_t)sandbox->lost_forks));
}

static bool serve(json_t *request, const char *type, struct failure *why, json_t *answer)
{
	bool with_pid = strcmp(type, "attach") == 0 || strcmp(type, "lineage") == 0;
	const char *name;
	int pid = 0;

	if (strcmp(type, "hello") == 0)
		return introduce(answer);
	if (!with_pid && strcmp(type, "detach") != 0 && strcmp(type, "counters") != 0)
		return fail(why, program.invalid, "/type", "expected hello, attach, detach, lineage or counters");
	if (!unpack(request, with_pid, &name, &pid, why))
		return false;
	if (strcmp(type, "attach") == 0)
		return attach(name, pid, why);
	struct sandbox *sandbox = sandbox_named(name);

	if (!sandbox)
		return fail(why, "KERNEL_SANDBOX_UNKNOWN", "/sandbox", "no sandbox of this name is attached");
	/* What happened before the question is part of the answer. */
	observer->serve();
	observer->losses();
	if (strcmp(type, "detach") == 0)
		sandbox_detach(sandbox);
	else if (strcmp(type, "counters") == 0)
		count(sandbox, answer);
	else {
		const struct process *process = process_find((uint32_t)pid);
		bool known = process && process->sandbox == sandbox;

		json_object_set_new(answer, "lineage", known ? lineage_of(process) : json_array());
	}
	return true;
}

/* The answer to a message, which the caller owns. */
json_t *request_answer(json_t *request, bool *greeted)
{
	return answer_to(request, greeted, serve);
}
