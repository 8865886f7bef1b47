#include "kernel.h"

#include "greet.h"

#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

static bool list_sandboxes(json_t *answer)
{
	json_t *names = must(json_array());

	for (const struct sandbox *at = sandboxes; at; at = at->next)
		json_array_append_new(names, json_pack("{s:s, s:i, s:I}", "sandbox", at->kept->name, "pid",
						       (int)at->kept->pid, "generation", at->policy.generation));
	json_object_set_new(answer, "sandboxes", names);
	return true;
}

static bool one_of(const char *text, const char *yes, const char *no, bool *result)
{
	*result = strcmp(text, yes) == 0;
	return *result || strcmp(text, no) == 0;
}

struct wanted {
	const char *sandbox;
	int pid; /* 0: an update */
	const char *mode;
	const char *drift;
	json_t *deny;
	json_t *allow;
	json_int_t generation;
	json_t *held; /* or NULL */
};

static bool read_policy(const struct wanted *wanted, struct policy *policy, struct failure *why)
{
	*policy = (struct policy){ .generation = wanted->generation };
	if (!one_of(wanted->mode, "enforce", "observe", &policy->enforce))
		return fail(why, "KERNEL_REQUEST_INVALID", "/mode", "expected observe or enforce");
	if (!one_of(wanted->drift, "deny", "allow", &policy->deny_drift))
		return fail(why, "KERNEL_REQUEST_INVALID", "/drift", "expected allow or deny");
	if (json_is_null(wanted->deny))
		return fail(why, "KERNEL_REQUEST_INVALID", "/deny", "expected a list of regex sources");
	return rules_compile(&policy->deny, wanted->deny, "/deny", why) &&
	       rules_compile(&policy->allow, wanted->allow, "/allow", why);
}

static bool apply(const struct wanted *wanted, struct policy *policy, struct failure *why, json_t *answer)
{
	struct sandbox *known = sandbox_find(wanted->sandbox);

	if (!wanted->pid && !known)
		return fail(why, "KERNEL_SANDBOX_UNKNOWN", "/sandbox", "no sandbox of this name is attached");
	if (wanted->pid && known)
		return fail(why, "KERNEL_SANDBOX_EXISTS", "/sandbox", "a sandbox of this name is attached already");
	if (!read_policy(wanted, policy, why))
		return false;
	if (known)
		return sandbox_update(known, policy, why, answer);
	struct kept *kept = kept_new(wanted->sandbox, wanted->pid);

	if (!kept)
		return fail(why, "KERNEL_FANOTIFY_UNAVAILABLE", "", "no more than %d sandboxes can be attached",
			    KEPT_MAX);
	struct sandbox *sandbox = sandbox_new(kept);
	bool attached =
	    (!wanted->held || held_take(kept, wanted->held, why)) && sandbox_attach(sandbox, policy, why, answer);

	if (!attached)
		sandbox_detach(sandbox);
	return attached;
}

static bool unpack(json_t *request, bool attach, struct wanted *wanted, struct failure *why)
{
	json_error_t error;
	json_t *id;
	const char *type;
	const char *format =
	    attach ? "{s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:I, s:i, s?:o}" : "{s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:I}";

	if (json_unpack_ex(request, &error, JSON_STRICT, format, "id", &id, "type", &type, "sandbox", &wanted->sandbox,
			   "mode", &wanted->mode, "drift", &wanted->drift, "deny", &wanted->deny, "allow",
			   &wanted->allow, "generation", &wanted->generation, "pid", &wanted->pid, "held",
			   &wanted->held) < 0)
		return refuse_shape(why, &error);
	if (strlen(wanted->sandbox) > NAME_MAX_BYTES || *wanted->sandbox == '\0')
		return fail(why, "KERNEL_REQUEST_INVALID", "/sandbox", "expected a name of 1 to %d bytes",
			    NAME_MAX_BYTES);
	if (attach && wanted->pid <= 0)
		return fail(why, "KERNEL_REQUEST_INVALID", "/pid",
			    "expected the number of the sandbox's first process");
	return true;
}

/* `attach` and `update`: the whole policy each time, nothing is merged. */
static bool put(json_t *request, bool attach, struct failure *why, json_t *answer)
{
	struct wanted wanted = { 0 };
	struct policy policy = { 0 };

	if (!unpack(request, attach, &wanted, why))
		return false;
	if (!apply(&wanted, &policy, why, answer)) {
		policy_free(&policy);
		return false;
	}
	struct sandbox *sandbox = sandbox_find(wanted.sandbox);

	kept_commit(sandbox->kept, request, &sandbox->policy);
	/* What the policy before took goes back to the system, and what reading this one did. */
	malloc_trim(0);
	return true;
}

/* Goes on with the sandbox of a decider that died. Where its policy can't be had, everything or nothing is denied. */
void request_restore(struct sandbox *sandbox)
{
	struct failure why = { 0 };
	struct wanted wanted = { 0 };
	struct policy policy = { 0 };

	lseek(sandbox->kept->request, 0, SEEK_SET);
	json_t *request = json_loadfd(sandbox->kept->request, JSON_REJECT_DUPLICATES, NULL);
	const char *type = json_string_value(json_object_get(request, "type"));
	json_t *unused = must(json_object());

	if (!unpack(request, type && strcmp(type, "attach") == 0, &wanted, &why) ||
	    !read_policy(&wanted, &policy, &why) || !sandbox_attach(sandbox, &policy, &why, unused)) {
		policy_free(&policy);
		say(sandbox->kept->name, why.message);
		sandbox_shut(sandbox);
	}
	json_decref(unused);
	json_decref(request);
}

static struct sandbox *named(json_t *request, struct failure *why)
{
	json_error_t error;
	json_t *id;
	const char *type, *name;

	if (json_unpack_ex(request, &error, JSON_STRICT, "{s:o, s:s, s:s}", "id", &id, "type", &type, "sandbox",
			   &name) < 0) {
		refuse_shape(why, &error);
		return NULL;
	}
	struct sandbox *sandbox = sandbox_find(name);

	if (!sandbox)
		fail(why, "KERNEL_SANDBOX_UNKNOWN", "/sandbox", "no sandbox of this name is attached");
	return sandbox;
}

static bool count(const struct sandbox *sandbox, json_t *answer)
{
	const struct kept *kept = sandbox->kept;
	uint64_t denied = kept->outcomes[OUTCOME_DENIED];
	uint64_t observed = kept->outcomes[OUTCOME_OBSERVED];
	uint64_t lost = 0;

	for (int loss = 0; loss < LOSSES; loss++)
		lost += kept->lost[loss];
	json_object_set_new(answer, "asked",
			    json_integer((json_int_t)(kept->outcomes[OUTCOME_ALLOWED] + denied + observed)));
	json_object_set_new(answer, "foreign", json_integer((json_int_t)kept->outcomes[OUTCOME_FOREIGN]));
	json_object_set_new(answer, "denied", json_integer((json_int_t)denied));
	json_object_set_new(answer, "observed", json_integer((json_int_t)observed));
	json_object_set_new(answer, "lost", json_integer((json_int_t)lost));
	json_object_set_new(answer, "unopened", json_integer((json_int_t)kept->unopened));
	return true;
}

static bool serve(json_t *request, const char *type, struct failure *why, json_t *answer)
{
	if (strcmp(type, "hello") == 0)
		return list_sandboxes(answer);
	if (strcmp(type, "attach") == 0 || strcmp(type, "update") == 0)
		return put(request, strcmp(type, "attach") == 0, why, answer);
	if (strcmp(type, "counters") != 0 && strcmp(type, "detach") != 0)
		return fail(why, "KERNEL_REQUEST_INVALID", "/type",
			    "expected hello, attach, update, detach or counters");
	struct sandbox *sandbox = named(request, why);

	if (!sandbox)
		return false;
	count(sandbox, answer);
	if (strcmp(type, "detach") == 0)
		sandbox_detach(sandbox);
	return true;
}

/* The answer to a message, which the caller owns. */
json_t *request_answer(json_t *request, bool *greeted)
{
	return answer_to(request, greeted, serve);
}
