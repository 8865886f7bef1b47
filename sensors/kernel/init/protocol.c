#include "init.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_PATH UCP_RUN_DIR "/init.sock"
#define RETRY_MS 20

/* Waits for `events` on the socket; a signal that ends the wait ends the process. */
static void wait_for(int sock, short events, int timeout_ms, int endings)
{
	struct pollfd fds[] = {
		{ .fd = endings, .events = POLLIN },
		{ .fd = sock, .events = events },
	};

	if (poll(fds, 2, timeout_ms) > 0 && fds[0].revents)
		_exit(EXIT_BY_SIGNAL + signals_next(endings));
}

/* Non-blocking: a listener that doesn't accept must not make init deaf to signals. */
int protocol_connect(int endings)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET_PATH };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (sock < 0)
		refuse("can't make a socket", strerror(errno));
	while (connect(sock, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			refuse("no control plane at " SOCKET_PATH ", the workload was not started", strerror(errno));
		wait_for(-1, 0, RETRY_MS, endings);
	}
	return sock;
}

static void send_line(int sock, const char *line)
{
	/* A few bytes always fit an empty socket buffer; a lost peer shows when the answer is read. */
	if (send(sock, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static void send_number(int sock, const char *word, int number)
{
	char line[32];

	snprintf(line, sizeof(line), "%s %d\n", word, number);
	send_line(sock, line);
}

/* Reads up to the newline, which it cuts off; what is longer than the buffer is cut too and can't be a `go`. */
static void read_line(int sock, int endings, char *line, size_t size)
{
	size_t used = 0;

	while (used < size - 1) {
		ssize_t got = recv(sock, line + used, 1, 0);

		if (got > 0) {
			if (line[used] == '\n')
				break;
			used++;
		} else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			wait_for(sock, POLLIN, -1, endings);
		} else {
			refuse("the control plane went away before it let the workload go", NULL);
		}
	}
	line[used] = '\0';
}

/* Reads exactly `size` bytes. */
void protocol_read(int sock, int endings, char *bytes, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t got = recv(sock, bytes + used, size - used, 0);

		if (got > 0)
			used += (size_t)got;
		else if (got < 0 && (errno == EAGAIN || errno == EINTR))
			wait_for(sock, POLLIN, -1, endings);
		else
			refuse("the control plane went away before it let the workload go", NULL);
	}
}

/* True when the line was the head of a secret, which is then taken and answered. */
static bool took_secret(int sock, int endings, char *line)
{
	bool file = strncmp(line, "file ", 5) == 0;

	if (!file && strncmp(line, "env ", 4) != 0)
		return false;
	send_number(sock, "took", secret_take(sock, endings, line + (file ? 5 : 4), file));
	return true;
}

static bool is_marker(const char *text)
{
	return strlen(text) == MARKER_HEX && strspn(text, "0123456789abcdef") == MARKER_HEX;
}

static struct answer parse(const char *line)
{
	struct answer answer = { .verdict = VERDICT_GO };

	if (strcmp(line, "exec") == 0) {
		answer.verdict = VERDICT_EXEC;
		return answer;
	}
	if (strncmp(line, "no ", 3) == 0)
		refuse(line + 3, NULL);
	if (strcmp(line, "go -") == 0)
		return answer;
	if (strncmp(line, "go ", 3) != 0 || !is_marker(line + 3))
		refuse("expected `go MARKER`, `exec` or `no REASON` from the control plane, got", line);
	memcpy(answer.marker, line + 3, sizeof(answer.marker));
	return answer;
}

struct answer protocol_ask(int sock, int endings)
{
	char line[1024];

	send_line(sock, "ready 1\n");
	for (;;) {
		read_line(sock, endings, line, sizeof(line));
		if (took_secret(sock, endings, line))
			continue;
		if (strncmp(line, "try ", 4) != 0)
			return parse(line);
		int pipe = spawn_try(line + 4);

		wait_for(pipe, POLLIN, -1, endings);
		send_number(sock, "tried", spawn_tried(pipe));
	}
}

void protocol_exit(int sock, int code)
{
	send_number(sock, "exit", code);
}
