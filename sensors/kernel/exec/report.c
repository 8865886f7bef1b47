#include "kernel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW_MS 1000
/* Kinds of violations that a sandbox is remembered for at a time; what goes beyond is counted and told as lost. */
#define KINDS_MAX 256

/* Violations that differ in nothing but when: the first is told at once, those after it once in a window. */
struct kind {
	struct kind *next;
	uint64_t hash;
	char *path; /* or NULL */
	enum list list;
	int rule;
	bool read;
	bool enforced;
	json_int_t generation;
	json_t *event; /* of the first */
	uint64_t more; /* not told yet */
	bool quiet; /* nothing came in the last window */
};

static const char *const REASONS[] = { [LOSS_CLIENT] = "client", [LOSS_KINDS] = "kinds", [LOSS_RESTART] = "restart" };
static int64_t due = -1; /* end of the window, ms; -1: nothing is remembered */
static unsigned int losses;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t all = 0;

	for (int loss = 0; loss < LOSSES; loss++)
		all += counts[loss];
	return all;
}

static void wait_window(void)
{
	if (due < 0)
		due = now_ms() + WINDOW_MS;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static bool same(const struct kind *kind, const struct violation *violation, uint64_t hash)
{
	const struct policy *policy = &violation->sandbox->policy;

	return kind->hash == hash && kind->list == violation->list && kind->rule == violation->rule &&
	       kind->read == violation->read && kind->generation == policy->generation &&
	       kind->enforced == policy->enforce && !kind->path == !violation->path &&
	       (!kind->path || strcmp(kind->path, violation->path) == 0);
}

static struct kind *remember(const struct violation *violation, uint64_t hash)
{
	struct sandbox *sandbox = violation->sandbox;
	struct kind *kind = must(calloc(1, sizeof(*kind)));

	*kind = (struct kind){
		.next = sandbox->kinds,
		.hash = hash,
		.path = violation->path ? must(strdup(violation->path)) : NULL,
		.list = violation->list,
		.rule = violation->rule,
		.read = violation->read,
		.enforced = sandbox->policy.enforce,
		.generation = sandbox->policy.generation,
		.event = event_of(violation),
	};
	sandbox->kinds = kind;
	sandbox->kinds_count++;
	wait_window();
	return kind;
}

/* What can't be told now waits for a client. */
static void tell(struct sandbox *sandbox, struct kind *kind)
{
	json_t *event = must(json_copy(kind->event));

	json_object_set_new(event, "count", json_integer((json_int_t)kind->more));
	if (!client_send(event, true))
		return;
	sandbox->in_flight += kind->more;
	kind->more = 0;
}

static void forget(struct sandbox *sandbox, struct kind **at)
{
	struct kind *kind = *at;

	*at = kind->next;
	sandbox->kinds_count--;
	json_decref(kind->event);
	free(kind->path);
	free(kind);
}

/* Tells of a violation, or counts it. */
void report_violation(const struct violation *violation)
{
	struct sandbox *sandbox = violation->sandbox;
	uint64_t hash = hash_of(violation->path ? violation->path : "");
	struct kind *kind = sandbox->kinds;

	while (kind && !same(kind, violation, hash))
		kind = kind->next;
	if (kind) {
		kind->more++;
		kind->quiet = false;
	} else if (sandbox->kinds_count == KINDS_MAX) {
		sandbox->kept->lost[LOSS_KINDS]++;
	} else {
		kind = remember(violation, hash);
		kind->more = 1;
		tell(sandbox, kind);
	}
}

static void tell_losses(struct kept *kept)
{
	for (int loss = 0; loss < LOSSES; loss++) {
		uint64_t count = kept->lost[loss] - kept->lost_told[loss];

		if (count > 0 && client_send(json_pack("{s:s, s:s, s:I, s:s}", "type", "violations_lost", "sandbox",
						       kept->name, "count", (json_int_t)count, "reason", REASONS[loss]),
					     true))
			kept->lost_told[loss] += count;
	}
}

static void end_window(struct sandbox *sandbox)
{
	struct kind **at = &sandbox->kinds;

	while (*at) {
		if ((*at)->more == 0 && (*at)->quiet) {
			forget(sandbox, at);
			continue;
		}
		(*at)->quiet = (*at)->more == 0;
		if ((*at)->more > 0)
			tell(sandbox, *at);
		at = &(*at)->next;
	}
	tell_losses(sandbox->kept);
	if (sandbox->kinds || sum(sandbox->kept->lost) > sum(sandbox->kept->lost_told))
		wait_window();
}

/* What was taken over for sending is sent, or was lost with its connection. */
static void settle(void)
{
	unsigned int now;
	bool idle = client_is_idle(&now);

	for (struct sandbox *at = sandboxes; (idle || now != losses) && at; at = at->next) {
		*(now == losses ? &at->kept->told : &at->kept->lost[LOSS_CLIENT]) += at->in_flight;
		at->in_flight = 0;
	}
	if (now != losses)
		wait_window();
	losses = now;
}

/* To be called whenever something was sent or heard. */
void report_serve(void)
{
	settle();
	if (due < 0 || now_ms() < due)
		return;
	due = -1;
	for (struct sandbox *at = sandboxes; at; at = at->next)
		end_window(at);
}

/* How long nothing need be told, ms; -1: for ever. */
int report_wait_ms(void)
{
	int64_t left = due - now_ms();

	return due < 0 ? -1 : left < 0 ? 0 : (int)left;
}

/* Tells all that is left to be told, and forgets it. */
void report_end(struct sandbox *sandbox)
{
	while (sandbox->kinds) {
		if (sandbox->kinds->more > 0)
			tell(sandbox, sandbox->kinds);
		forget(sandbox, &sandbox->kinds);
	}
	tell_losses(sandbox->kept);
}

/* What the decider before this one counted and had not told of. */
void report_restart(struct kept *kept)
{
	uint64_t counted = kept->outcomes[OUTCOME_DENIED] + kept->outcomes[OUTCOME_OBSERVED];

	kept->lost[LOSS_RESTART] += counted - kept->told - sum(kept->lost);
	wait_window();
}
