#include "net.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The keys that a request has beside `id`, `op` and `sandbox`. */
#define SANDBOX "s:o, s:s, s:s"
#define SANDBOX_VALUES(name) "id", &(json_t *){ NULL }, "op", &(const char *){ NULL }, "sandbox", name

static bool refuse(struct call *call, const json_error_t *error)
{
	return fail(&call->why, "NET_REQUEST_INVALID", "", "%s", error->text);
}

/* The sandbox of this name, or a refusal. */
static struct sandbox *known(struct call *call, const char *name)
{
	struct sandbox *sandbox = sandbox_find(name);

	if (sandbox && sandbox->ready)
		return sandbox;
	fail(&call->why, "NET_SANDBOX_UNKNOWN", "/sandbox", "no sandbox of this name is attached");
	return NULL;
}

bool op_hello(struct call *call)
{
	json_error_t error;
	json_int_t protocol;
	json_t *id, *list;
	const char *op;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{s:o, s:s, s:I}", "id", &id, "op", &op, "protocol",
			   &protocol) < 0)
		return refuse(call, &error);
	if (protocol != PROTOCOL_VERSION)
		return fail(&call->why, "NET_PROTOCOL_UNKNOWN", "/protocol",
			    "protocol %lld is not spoken here, only %d", (long long)protocol, PROTOCOL_VERSION);
	list = must(json_array());
	for (const struct sandbox *at = sandboxes; at; at = at->next)
		json_array_append_new(list, json_pack("{s:s, s:i, s:I}", "sandbox", at->name, "pid", (int)at->pid,
						      "generation", (json_int_t)at->generation));
	json_object_set_new(call->answer, "protocol", json_integer(PROTOCOL_VERSION));
	json_object_set_new(call->answer, "sandboxes", list);
	return true;
}

static bool is_taken(const struct netns *space, const char *name)
{
	for (const struct sandbox *at = sandboxes; at; at = at->next) {
		if (namespace_same(&at->space, space) && strcmp(at->name, name) != 0)
			return true;
	}
	return false;
}

/* The sandbox with this namespace: as it is, or a new one in place of one that had another. */
static struct sandbox *settle(struct call *call, const char *name, pid_t pid)
{
	struct netns space;
	struct sandbox *sandbox = sandbox_find(name);

	if (!namespace_open(&space, pid, &call->why))
		return NULL;
	if (is_taken(&space, name)) {
		fail(&call->why, "NET_NAMESPACE_SHARED", "/pid", "another sandbox has this network");
		close(space.fd);
		return NULL;
	}
	if (sandbox && namespace_same(&sandbox->space, &space)) {
		close(space.fd);
		sandbox->pid = pid;
		return sandbox;
	}
	if (sandbox)
		sandbox_free(sandbox);
	return sandbox_new(name, pid, &space);
}

bool op_attach(struct call *call)
{
	json_error_t error;
	const char *name, *rules;
	json_int_t pid, generation;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:I, s:I, s:s}", SANDBOX_VALUES(&name),
			   "pid", &pid, "generation", &generation, "rules", &rules) < 0)
		return refuse(call, &error);
	if (*name == '\0' || strlen(name) > NAME_MAX_BYTES)
		return fail(&call->why, "NET_REQUEST_INVALID", "/sandbox", "expected a name of 1 to %d bytes",
			    NAME_MAX_BYTES);
	if (pid <= 0 || pid > INT32_MAX)
		return fail(&call->why, "NET_REQUEST_INVALID", "/pid", "expected the number of a process");
	struct sandbox *sandbox = settle(call, name, (pid_t)pid);

	if (!sandbox)
		return false;
	call->later = job_start(sandbox, call->request, rules, &call->why);
	if (!call->later && !sandbox->ready)
		sandbox_free(sandbox);
	return call->later;
}

bool op_update(struct call *call)
{
	json_error_t error;
	const char *name, *rules;
	json_int_t generation;
	json_t *destroy = NULL;
	struct target *targets = NULL;
	size_t count;
	struct sandbox *sandbox;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:I, s:s, s?o}", SANDBOX_VALUES(&name),
			   "generation", &generation, "rules", &rules, "destroy", &destroy) < 0)
		return refuse(call, &error);
	if (destroy && !targets_read(destroy, &targets, &count, &call->why))
		return false;
	free(targets);
	sandbox = known(call, name);
	call->later = sandbox && job_start(sandbox, call->request, rules, &call->why);
	return call->later;
}

static void destroy(struct sandbox *sandbox, json_t *request, json_t *answer)
{
	struct failure why;
	struct target *targets = NULL;
	size_t count = 0;
	json_t *list = json_object_get(request, "destroy");

	if (list && targets_read(list, &targets, &count, &why))
		count = destroy_sockets(sandbox, targets, count);
	free(targets);
	json_object_set_new(answer, "destroyed", json_integer((json_int_t)count));
}

/* The second half of `attach` and `update`: the rules are in force, or refused. */
void rules_done(struct sandbox *sandbox, json_t *request, unsigned client, struct failure *why)
{
	bool attach = strcmp(json_string_value(json_object_get(request, "op")), "attach") == 0;
	bool done = !why->code && (!attach || sandbox_open(sandbox, why));
	json_t *answer = done ? must(json_object()) : NULL;
	json_t *waiting = sandbox->waiting;

	sandbox->waiting = must(json_array());
	sandbox->ready = sandbox->ready || done;
	if (done)
		sandbox->generation = json_integer_value(json_object_get(request, "generation"));
	if (done && attach)
		json_object_set_new(answer, "dns6", json_boolean(sandbox->dns.udp[1].fd >= 0));
	else if (done)
		destroy(sandbox, request, answer);
	request_later(request, client, answer, why);
	if (!sandbox->ready)
		sandbox_free(sandbox);
	request_waiting(waiting);
	json_decref(waiting);
}

bool op_elements(struct call *call)
{
	json_error_t error;
	const char *name;
	json_t *list;
	struct sandbox *sandbox;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:o}", SANDBOX_VALUES(&name), "add",
			   &list) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	return sandbox && elements_add(sandbox, list, &call->why);
}

static json_t *dns_counters(const struct dns_counters *count)
{
	return json_pack("{s:I, s:I, s:I, s:I}", "queries", (json_int_t)count->queries, "answered",
			 (json_int_t)count->answered, "failed", (json_int_t)count->failed, "dropped",
			 (json_int_t)count->dropped);
}

bool op_counters(struct call *call)
{
	json_error_t error;
	const char *name;
	struct sandbox *sandbox;
	json_t *counters;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX "}", SANDBOX_VALUES(&name)) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	if (!sandbox)
		return false;
	counters = must(json_object());
	json_object_set_new(call->answer, "counters", counters);
	json_object_set_new(call->answer, "dns", dns_counters(&sandbox->dns.count));
	json_object_set_new(call->answer, "nflog",
			    json_pack("{s:I, s:I}", "packets", (json_int_t)sandbox->nflog.packets, "lost",
				      (json_int_t)sandbox->nflog.lost));
	return counters_read(sandbox, counters, &call->why);
}

bool op_detach(struct call *call)
{
	json_error_t error;
	const char *name;
	struct sandbox *sandbox;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX "}", SANDBOX_VALUES(&name)) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	if (sandbox)
		sandbox_free(sandbox);
	return sandbox != NULL;
}

/* The DNS message of a request; the caller frees it. */
static uint8_t *packet_of(struct call *call, const char *text, size_t length, size_t *used)
{
	uint8_t *packet = must(malloc(length + 1));

	if (base64_decode(text, length, packet, used) && *used >= DNS_HEADER && *used <= DNS_MAX)
		return packet;
	free(packet);
	fail(&call->why, "NET_REQUEST_INVALID", "/packet", "expected a DNS message of %d to %d bytes in base64",
	     DNS_HEADER, DNS_MAX);
	return NULL;
}

bool op_dns_answer(struct call *call)
{
	json_error_t error;
	const char *name, *text;
	json_int_t query;
	size_t length, used;
	struct sandbox *sandbox;
	struct pending *pending;
	uint8_t *packet;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:I, s:s%}", SANDBOX_VALUES(&name),
			   "query", &query, "packet", &text, &length) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	packet = sandbox ? packet_of(call, text, length, &used) : NULL;
	if (!packet)
		return false;
	pending = pending_find(sandbox, (uint64_t)query);
	if (pending)
		pending_answer(sandbox, pending, packet, used);
	free(packet);
	json_object_set_new(call->answer, "delivered", json_boolean(pending != NULL));
	return true;
}

bool op_dns_drop(struct call *call)
{
	json_error_t error;
	const char *name;
	json_int_t query;
	struct sandbox *sandbox;
	struct pending *pending;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:I}", SANDBOX_VALUES(&name), "query",
			   &query) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	pending = sandbox ? pending_find(sandbox, (uint64_t)query) : NULL;
	if (pending && pending->stream)
		stream_end(pending->stream);
	else if (pending)
		pending_free(sandbox, pending);
	return sandbox != NULL;
}

bool op_dns_local(struct call *call)
{
	json_error_t error;
	const char *name, *text;
	size_t length, used;
	struct sandbox *sandbox;
	uint8_t *packet;

	if (json_unpack_ex(call->request, &error, JSON_STRICT, "{" SANDBOX ", s:s%}", SANDBOX_VALUES(&name), "packet",
			   &text, &length) < 0)
		return refuse(call, &error);
	sandbox = known(call, name);
	packet = sandbox ? packet_of(call, text, length, &used) : NULL;
	if (!packet)
		return false;
	call->later = local_ask(sandbox, call->request, packet, used, &call->why);
	free(packet);
	return call->later;
}
