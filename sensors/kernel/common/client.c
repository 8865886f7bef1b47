#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What a client that doesn't read may make us keep; events above it are lost and counted. */
#define UNSENT_MAX_BYTES (8u << 20)
#define RECONNECT_MS 200

/* There is one client at a time: the control plane. Without one the decisions go on. */
static struct {
	struct sockaddr_un address;
	int listener; /* -1: we connect */
	int sock;
	bool greeted;
	bool closing; /* once everything is sent */
	unsigned int losses; /* connections that ended with something unsent */
	unsigned number; /* of this client among all that came */
	struct bytes in;
	struct bytes out;
} client = { .listener = -1, .sock = -1 };

static void leave(void)
{
	client.losses += client.out.used > 0;
	if (client.sock >= 0)
		close(client.sock);
	client.sock = -1;
	client.greeted = client.closing = false;
	client.number++;
	bytes_free(&client.in);
	bytes_free(&client.out);
}

static void reach_out(void)
{
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (sock >= 0 && connect(sock, (struct sockaddr *)&client.address, sizeof(client.address)) == 0)
		client.sock = sock;
	else if (sock >= 0)
		close(sock);
}

/* Listens at the path, or connects to it and again whenever the connection is lost. */
void client_setup(bool listening, const char *path)
{
	client.address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(client.address.sun_path))
		die("the path of the socket is too long", path);
	memcpy(client.address.sun_path, path, strlen(path) + 1);
	if (!listening)
		return;
	umask(0177);
	client.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unlink(path);
	if (client.listener < 0 ||
	    bind(client.listener, (struct sockaddr *)&client.address, sizeof(client.address)) < 0 ||
	    listen(client.listener, 1) < 0)
		die(path, strerror(errno));
}

int client_descriptor(void)
{
	return client.sock >= 0 ? client.sock : client.listener;
}

short client_interest(void)
{
	return (short)(POLLIN | (client.out.used ? POLLOUT : 0));
}

int client_wait_ms(void)
{
	return client_descriptor() < 0 ? RECONNECT_MS : -1;
}

bool client_greeted(void)
{
	return client.greeted;
}

/* True when all that was taken over is sent, or lost with a connection: then `losses` is more than before. */
bool client_is_idle(unsigned int *losses)
{
	*losses = client.losses;
	return client.out.used == 0;
}

/* Tells clients apart: who asked may be gone when the answer is known. */
unsigned client_number(void)
{
	return client.number;
}

/* Takes over the message. False when it can't be delivered; only events are ever given up for a full buffer. */
bool client_send(json_t *message, bool event)
{
	bool taken = client.sock >= 0 && !(event && (!client.greeted || client.out.used > UNSENT_MAX_BYTES));

	if (taken)
		wire_put(&client.out, message);
	json_decref(message);
	return taken;
}

static void refuse(const char *message)
{
	client_send(json_pack("{s:n, s:b, s:s, s:s}", "id", "ok", 0, "code", program.invalid, "message", message),
		    false);
	client.closing = true;
}

static void take_requests(void)
{
	json_t *request, *answer;

	while (!client.closing) {
		switch (wire_next(&client.in, &request)) {
		case FRAME_PARTIAL:
			return;
		case FRAME_TOO_LARGE:
			refuse("expected a message of at most 4 MiB");
			return;
		case FRAME_NOT_JSON:
			refuse("expected a message of JSON in UTF-8, without repeated keys");
			return;
		case FRAME_WHOLE:
			answer = request_answer(request, &client.greeted);
			if (answer)
				client_send(answer, false);
			json_decref(request);
		}
	}
}

/* Serves what poll found, or tries to connect when there is no descriptor. */
void client_serve(short events)
{
	if (client.sock < 0 && client.listener < 0) {
		reach_out();
	} else if (client.sock < 0) {
		if (events & POLLIN)
			client.sock = accept4(client.listener, NULL, NULL, SOCK_CLOEXEC);
	} else {
		bool fine = !(events & (POLLIN | POLLHUP | POLLERR)) || wire_receive(client.sock, &client.in);

		if (fine)
			take_requests();
		/* What is closed with input unread takes the last answer with it: the rest is read and thrown away. */
		if (client.closing)
			client.in.used = 0;
		fine = fine && wire_send(client.sock, &client.out);
		if (!fine)
			leave();
		else if (client.closing && client.out.used == 0)
			shutdown(client.sock, SHUT_WR);
	}
}
