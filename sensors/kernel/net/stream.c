#include "net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define QUERY_MAX 4096
#define LENGTH_BYTES 2
#define STREAMS_MAX 32
#define ASKED_MAX 16
#define IDLE_MS 10000

/* A connection that carries DNS, each message behind its length (RFC 1035 section 4.2.2). */
struct stream {
	struct source source;
	struct sandbox *sandbox;
	struct stream *next;
	uint8_t in[LENGTH_BYTES + QUERY_MAX];
	size_t used;
	struct bytes out;
	unsigned asked; /* and not answered */
	bool ended; /* nothing more comes */
	bool broken; /* ends as soon as nobody uses it */
	int64_t active;
};

void stream_end(struct stream *stream)
{
	struct stream **at = &stream->sandbox->dns.streams;

	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	pending_forget(stream->sandbox, stream);
	loop_end(&stream->source);
	bytes_free(&stream->out);
	free(stream);
}

/* Passes on the questions that are there, as far as there may be more. */
static void ask(struct stream *stream)
{
	while (!stream->broken && stream->asked < ASKED_MAX && stream->used >= LENGTH_BYTES) {
		size_t length = (size_t)stream->in[0] << 8 | stream->in[1];
		size_t whole = LENGTH_BYTES + length;

		if (length > QUERY_MAX) {
			stream->sandbox->dns.count.dropped++;
			stream->broken = true;
			return;
		}
		if (stream->used < whole)
			return;
		struct pending asker = { .sock = -1, .stream = stream };

		stream->asked++;
		stream->broken = !pending_ask(stream->sandbox, &asker, stream->in + LENGTH_BYTES, length);
		stream->used -= whole;
		memmove(stream->in, stream->in + whole, stream->used);
	}
}

static void take(struct stream *stream)
{
	ssize_t got =
	    recv(stream->source.fd, stream->in + stream->used, sizeof(stream->in) - stream->used, MSG_DONTWAIT);

	if (got > 0) {
		stream->used += (size_t)got;
		stream->active = now_ms();
	} else if (got == 0) {
		stream->ended = true;
	} else if (errno != EAGAIN && errno != EINTR) {
		stream->broken = true;
	}
}

/* Sends, asks for what there is room for, and ends what is over. */
static void go_on(struct stream *stream)
{
	ask(stream);
	stream->broken = stream->broken || !wire_send(stream->source.fd, &stream->out);
	if (stream->broken || (stream->ended && stream->asked == 0 && stream->out.used == 0)) {
		stream_end(stream);
		return;
	}
	bool more = !stream->ended && stream->asked < ASKED_MAX;

	loop_change(&stream->source, (more ? EPOLLIN : 0u) | (stream->out.used ? EPOLLOUT : 0u));
}

static void stream_ready(struct source *source, uint32_t events)
{
	struct stream *stream = CONTAINER(source, struct stream, source);

	if (events & (EPOLLHUP | EPOLLERR))
		stream->broken = true;
	else if (events & EPOLLIN)
		take(stream);
	go_on(stream);
}

/* May be called while the stream asks, so it never ends it: that is done when it is ready to send. */
void stream_answer(struct stream *stream, const uint8_t *packet, size_t length)
{
	uint8_t prefix[LENGTH_BYTES] = { (uint8_t)(length >> 8), (uint8_t)length };

	bytes_add(&stream->out, prefix, sizeof(prefix));
	if (length > 0)
		bytes_add(&stream->out, packet, length);
	stream->asked--;
	stream->active = now_ms();
	stream->broken = stream->broken || !wire_send(stream->source.fd, &stream->out);
	loop_change(&stream->source, EPOLLOUT);
}

static size_t count(const struct stream *stream)
{
	size_t number = 0;

	for (; stream; stream = stream->next)
		number++;
	return number;
}

static struct sandbox *listener_of(struct source *listener)
{
	struct sandbox *at = sandboxes;

	while (listener != &at->dns.listener[0] && listener != &at->dns.listener[1])
		at = at->next;
	return at;
}

void stream_accept(struct source *listener, uint32_t events)
{
	struct sandbox *sandbox = listener_of(listener);
	struct source source = { .fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
				 .ready = stream_ready };

	(void)events;
	if (source.fd < 0)
		return;
	struct stream *stream = must(calloc(1, sizeof(*stream)));

	*stream =
	    (struct stream){ .source = source, .sandbox = sandbox, .next = sandbox->dns.streams, .active = now_ms() };
	sandbox->dns.streams = stream;
	loop_add(&stream->source, EPOLLIN);
	if (count(stream) > STREAMS_MAX) {
		sandbox->dns.count.dropped++;
		stream_end(stream);
	}
}

/* A connection that neither asks nor takes its answers ends. */
void streams_sweep(struct sandbox *sandbox, int64_t now)
{
	struct stream *next;

	for (struct stream *at = sandbox->dns.streams; at; at = next) {
		next = at->next;
		if (at->asked == 0 && now - at->active > IDLE_MS)
			stream_end(at);
	}
}
