#include "net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define LENGTH_BYTES 2
#define LOCALS_MAX 64
#define PATIENCE_MS 3000
#define EMBEDDED 0x7f00000b /* 127.0.0.11 */

/*
 * A question to the engine's resolver. Over TCP: a process of the sandbox may bind its address and forge an answer over
 * UDP, but no connection, since the engine redirects those to its own socket.
 */
struct local {
	struct source source;
	struct sandbox *sandbox;
	struct local *next;
	json_t *request;
	unsigned client;
	struct bytes out;
	struct bytes in;
	int64_t due;
};

/* Answers with the packet, or with why there is none. */
static void finish(struct local *local, const char *problem)
{
	struct local **at = &local->sandbox->dns.locals;
	json_t *answer = NULL;
	struct failure why;

	while (*at != local)
		at = &(*at)->next;
	*at = local->next;
	if (problem)
		fail(&why, "NET_LOCAL_FAILED", "", "the engine's resolver: %s", problem);
	else
		answer = must(
		    json_pack("{s:o}", "packet",
			      base64_encode((uint8_t *)local->in.data + LENGTH_BYTES, local->in.used - LENGTH_BYTES)));
	request_later(local->request, local->client, answer, &why);
	loop_end(&local->source);
	bytes_free(&local->in);
	bytes_free(&local->out);
	json_decref(local->request);
	free(local);
}

static bool is_whole(const struct local *local)
{
	const uint8_t *in = (uint8_t *)local->in.data;

	return local->in.used >= LENGTH_BYTES && local->in.used >= LENGTH_BYTES + ((size_t)in[0] << 8 | in[1]);
}

static void local_ready(struct source *source, uint32_t events)
{
	struct local *local = CONTAINER(source, struct local, source);
	int error = 0;
	socklen_t length = sizeof(error);

	getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (error) {
		finish(local, strerror(error));
		return;
	}
	if (events & EPOLLOUT && !wire_send(source->fd, &local->out)) {
		finish(local, "it ended the connection");
		return;
	}
	bool open = !(events & (EPOLLIN | EPOLLHUP)) || wire_receive(source->fd, &local->in);

	if (is_whole(local)) {
		local->in.used = LENGTH_BYTES + ((size_t)(uint8_t)local->in.data[0] << 8 | (uint8_t)local->in.data[1]);
		finish(local, NULL);
	} else if (!open) {
		finish(local, "it ended the connection");
	} else {
		loop_change(source, EPOLLIN | (local->out.used ? EPOLLOUT : 0u));
	}
}

static bool reach(const struct sandbox *sandbox, struct source *source)
{
	struct sockaddr_in embedded = { .sin_family = AF_INET,
					.sin_port = htons(53),
					.sin_addr.s_addr = htonl(EMBEDDED) };
	int mark = MARK;

	source->fd = namespace_socket(&sandbox->space, AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	return source->fd >= 0 && setsockopt(source->fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) == 0 &&
	       (connect(source->fd, (struct sockaddr *)&embedded, sizeof(embedded)) == 0 || errno == EINPROGRESS);
}

/* Begins to ask; the request is answered later. */
bool local_ask(struct sandbox *sandbox, const json_t *request, const uint8_t *packet, size_t length,
	       struct failure *why)
{
	struct source source = { .ready = local_ready };
	uint8_t prefix[LENGTH_BYTES] = { (uint8_t)(length >> 8), (uint8_t)length };
	size_t count = 0;

	for (struct local *at = sandbox->dns.locals; at; at = at->next)
		count++;
	if (count >= LOCALS_MAX)
		return fail(why, "NET_BUSY", "", "%d questions to the engine's resolver wait already", LOCALS_MAX);
	if (!reach(sandbox, &source)) {
		fail(why, "NET_LOCAL_FAILED", "", "the engine's resolver: %s", strerror(errno));
		loop_end(&source);
		return false;
	}
	struct local *local = must(calloc(1, sizeof(*local)));

	*local = (struct local){ .source = source,
				 .sandbox = sandbox,
				 .next = sandbox->dns.locals,
				 .request = json_incref((json_t *)(uintptr_t)request),
				 .client = client_number(),
				 .due = now_ms() + PATIENCE_MS };
	sandbox->dns.locals = local;
	bytes_add(&local->out, prefix, sizeof(prefix));
	bytes_add(&local->out, packet, length);
	loop_add(&local->source, EPOLLOUT);
	return true;
}

void locals_sweep(struct sandbox *sandbox, int64_t now)
{
	struct local *next;

	for (struct local *at = sandbox->dns.locals; at; at = next) {
		next = at->next;
		if (at->due <= now)
			finish(at, "no answer");
	}
}

void locals_end(struct sandbox *sandbox)
{
	while (sandbox->dns.locals)
		finish(sandbox->dns.locals, "the sandbox was detached");
}
