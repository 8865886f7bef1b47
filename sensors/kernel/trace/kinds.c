#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of equal events, so many in a window are told one by one; the rest at its end, as one with their number. */
#define EACH 16
#define WINDOW_MS 1000
/* Of different events in a window; beyond it none is put together. */
#define KINDS_MAX 1024

struct kind {
	uint64_t seen;
	json_t *last; /* of those that were not told one by one */
	uint64_t hash;
	size_t length;
	struct kind *next;
	char key[];
};

static int64_t due = -1;

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* As long as there are sandboxes, losses are looked for once a window. */
void kinds_start(void)
{
	if (due < 0)
		due = now_ms() + WINDOW_MS;
}

static void send(struct sandbox *sandbox, json_t *event, uint64_t count)
{
	json_object_set_new(event, "count", json_integer((json_int_t)count));
	if (client_send(event, true))
		sandbox->in_flight += count;
	else
		sandbox->lost[LOSS_CLIENT] += count;
}

/* FNV-1a: only to look at few keys; equal are those that are equal. */
static uint64_t hash_of(const char *key, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t at = 0; at < length; at++)
		hash = (hash ^ (unsigned char)key[at]) * 0x100000001b3u;
	return hash;
}

static struct kind *find(struct sandbox *sandbox, const char *key, size_t length, uint64_t hash)
{
	struct kind *at = sandbox->kinds;

	while (at && (at->hash != hash || at->length != length || memcmp(at->key, key, length) != 0))
		at = at->next;
	return at;
}

static struct kind *add(struct sandbox *sandbox, const char *key, size_t length, uint64_t hash)
{
	struct kind *kind = must(malloc(sizeof(*kind) + length));

	*kind = (struct kind){ .hash = hash, .length = length, .next = sandbox->kinds };
	memcpy(kind->key, key, length);
	sandbox->kinds = kind;
	sandbox->kinds_count++;
	return kind;
}

/* Tells it or puts it together with its like. Takes over the event; a key of length 0 is like no other. */
void kind_tell(struct sandbox *sandbox, json_t *event, const char *key, size_t length)
{
	uint64_t hash = hash_of(key, length);
	struct kind *kind = length > 0 ? find(sandbox, key, length, hash) : NULL;

	if (!kind && length > 0 && sandbox->kinds_count < KINDS_MAX)
		kind = add(sandbox, key, length, hash);
	if (!kind || ++kind->seen <= EACH) {
		send(sandbox, event, 1);
		return;
	}
	json_decref(kind->last);
	kind->last = event;
}

/* Tells what was put together, and forgets it. */
void kinds_end(struct sandbox *sandbox)
{
	while (sandbox->kinds) {
		struct kind *kind = sandbox->kinds;

		sandbox->kinds = kind->next;
		if (kind->last)
			send(sandbox, kind->last, kind->seen - EACH);
		free(kind);
	}
	sandbox->kinds_count = 0;
}

static const char *const REASONS[LOSSES] = { [LOSS_CLIENT] = "client", [LOSS_KERNEL] = "kernel" };

static bool tell_loss(const char *sandbox, uint64_t count, const char *reason)
{
	return client_send(json_pack("{s:s, s:s?, s:I, s:s}", "type", "events_lost", "sandbox", sandbox, "count",
				     (json_int_t)count, "reason", reason),
			   true);
}

static void tell_losses(struct sandbox *sandbox)
{
	for (int loss = 0; loss < LOSSES; loss++) {
		uint64_t count = sandbox->lost[loss] - sandbox->lost_told[loss];

		if (count > 0 && tell_loss(sandbox->name, count, REASONS[loss]))
			sandbox->lost_told[loss] += count;
	}
}

/* What was taken over for sending is sent, or was lost with its connection. */
static void settle(void)
{
	static unsigned int losses;
	unsigned int now;
	bool idle = client_is_idle(&now);

	for (struct sandbox *at = sandboxes; (idle || now != losses) && at; at = at->next) {
		*(now == losses ? &at->told : &at->lost[LOSS_CLIENT]) += at->in_flight;
		at->in_flight = 0;
	}
	losses = now;
}

/* To be called often; does something once a window, as long as there are sandboxes. */
void kinds_serve(void)
{
	static uint64_t unheard_told;

	settle();
	if (due < 0 || now_ms() < due)
		return;
	due = -1;
	observer->losses();
	for (struct sandbox *at = sandboxes; at; at = at->next) {
		kinds_end(at);
		tell_losses(at);
	}
	if (unheard > unheard_told && tell_loss(NULL, unheard - unheard_told, "kernel"))
		unheard_told = unheard;
	if (sandboxes)
		kinds_start();
}

int kinds_wait_ms(void)
{
	int64_t left = due - now_ms();

	return due < 0 ? -1 : left < 0 ? 0 : (int)left;
}
