#include "net.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define PATIENCE_MS 4000
/* `query` says its place here, too. */
#define PLACES PENDING_MAX

static uint64_t serial;

static void fill(struct dns *dns)
{
	dns->pending = must(calloc(PLACES, sizeof(*dns->pending)));
	for (size_t at = 0; at < PLACES; at++)
		dns->free[dns->free_count++] = (uint16_t)at;
}

void pending_free(struct sandbox *sandbox, struct pending *pending)
{
	pending->query = 0;
	sandbox->dns.free[sandbox->dns.free_count++] = (uint16_t)(pending - sandbox->dns.pending);
}

static void respond(const struct pending *pending, const uint8_t *packet, size_t length)
{
	if (pending->stream)
		stream_answer(pending->stream, packet, length);
	else
		sendto(pending->sock, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL,
		       (const struct sockaddr *)&pending->peer, pending->peer_length);
}

void pending_answer(struct sandbox *sandbox, struct pending *pending, const uint8_t *packet, size_t length)
{
	struct pending copy = *pending;

	sandbox->dns.count.answered++;
	pending_free(sandbox, pending);
	respond(&copy, packet, length);
}

/* The one who asked is told at once that there will be no answer. */
static void give_up(struct sandbox *sandbox, const struct pending *asker)
{
	sandbox->dns.count.failed++;
	respond(asker, asker->failure, asker->length);
}

static bool tell(struct sandbox *sandbox, const struct pending *pending, const uint8_t *packet, size_t length)
{
	return client_send(must(json_pack("{s:s, s:s, s:I, s:s, s:o}", "event", "dns_query", "sandbox", sandbox->name,
					  "query", (json_int_t)pending->query, "transport",
					  pending->stream ? "tcp" : "udp", "packet", base64_encode(packet, length))),
			   true);
}

/* Tells the client of a question. False when it is no question, or there are too many. */
bool pending_ask(struct sandbox *sandbox, const struct pending *asker, const uint8_t *packet, size_t length)
{
	struct dns *dns = &sandbox->dns;
	struct pending pending = *asker;

	if (!dns->pending)
		fill(dns);
	pending.length = packet_failure(packet, length, pending.failure);
	if (pending.length == 0 || dns->free_count == 0) {
		dns->count.dropped++;
		return false;
	}
	size_t place = dns->free[dns->free_count - 1];

	pending.query = ++serial * PLACES + place;
	pending.due = now_ms() + PATIENCE_MS;
	if (!tell(sandbox, &pending, packet, length)) {
		give_up(sandbox, &pending);
		return true;
	}
	dns->free_count--;
	dns->count.queries++;
	dns->pending[place] = pending;
	return true;
}

struct pending *pending_find(struct sandbox *sandbox, uint64_t query)
{
	struct pending *pending = sandbox->dns.pending ? &sandbox->dns.pending[query % PLACES] : NULL;

	return pending && query != 0 && pending->query == query ? pending : NULL;
}

/* Gives up what waited too long; everything when there is no client. */
void pending_sweep(struct sandbox *sandbox, int64_t now, bool connected)
{
	for (size_t at = 0; pending_any(sandbox) && at < PLACES; at++) {
		struct pending *pending = &sandbox->dns.pending[at];

		if (pending->query == 0 || (connected && pending->due > now))
			continue;
		struct pending copy = *pending;

		pending_free(sandbox, pending);
		give_up(sandbox, &copy);
	}
}

bool pending_any(const struct sandbox *sandbox)
{
	return sandbox->dns.pending && sandbox->dns.free_count < PLACES;
}

/* The stream ends: nobody waits there any more. */
void pending_forget(struct sandbox *sandbox, const struct stream *stream)
{
	for (size_t at = 0; pending_any(sandbox) && at < PLACES; at++) {
		struct pending *pending = &sandbox->dns.pending[at];

		if (pending->query != 0 && pending->stream == stream)
			pending_free(sandbox, pending);
	}
}
