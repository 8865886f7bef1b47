#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TARGETS_MAX 4096
/* Not those that only listen, or are over already. */
#define STATES (~(1u << TCP_LISTEN | 1u << TCP_CLOSE | 1u << TCP_TIME_WAIT))

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

/* IPv4 as IPv6, so that there is one kind. */
static void widen(uint8_t address[16], const void *bytes, bool ipv4)
{
	if (ipv4)
		memcpy(address, mapped, sizeof(mapped));
	memcpy(address + (ipv4 ? 12 : 0), bytes, ipv4 ? 4 : 16);
}

static bool read_address(struct target *target, const char *text)
{
	char address[INET6_ADDRSTRLEN + 4];
	uint8_t bytes[16];
	size_t length = strcspn(text, "/");
	char *end = NULL;

	if (length >= sizeof(address))
		return false;
	memcpy(address, text, length);
	address[length] = '\0';
	bool ipv4 = inet_pton(AF_INET, address, bytes) == 1;
	unsigned long most = ipv4 ? 32 : 128;
	unsigned long bits = text[length] ? strtoul(text + length + 1, &end, 10) : most;

	if ((!ipv4 && inet_pton(AF_INET6, address, bytes) != 1) || bits > most ||
	    (end && (*end || end == text + length + 1)))
		return false;
	widen(target->address, bytes, ipv4);
	target->bits = (unsigned)bits + (ipv4 ? 96 : 0);
	return true;
}

/* [{address, port}]; the caller frees them. */
bool targets_read(const json_t *list, struct target **targets, size_t *count, struct failure *why)
{
	*count = json_array_size(list);
	*targets = NULL;
	if (!json_is_array(list) || *count > TARGETS_MAX)
		return fail(why, "NET_REQUEST_INVALID", "/destroy", "expected at most %d addresses", TARGETS_MAX);
	*targets = must(calloc(*count + 1, sizeof(**targets)));
	for (size_t at = 0; at < *count; at++) {
		json_error_t error;
		const char *address;
		json_int_t port;

		if (json_unpack_ex(json_array_get(list, at), &error, JSON_STRICT, "{s:s, s:I}", "address", &address,
				   "port", &port) == 0 &&
		    port >= 0 && port <= 65535 && read_address(&(*targets)[at], address)) {
			(*targets)[at].port = (uint16_t)port;
			continue;
		}
		free(*targets);
		*targets = NULL;
		return fail(why, "NET_REQUEST_INVALID", "/destroy", "expected an address and a port in item %zu", at);
	}
	return true;
}

static bool has_prefix(const uint8_t *address, const struct target *target)
{
	size_t whole = target->bits / 8;
	uint8_t mask = (uint8_t)(0xff00 >> target->bits % 8);

	return memcmp(address, target->address, whole) == 0 &&
	       (whole == 16 || ((address[whole] ^ target->address[whole]) & mask) == 0);
}

static bool is_meant(const struct inet_diag_msg *socket, const struct target *targets, size_t count)
{
	uint8_t address[16];

	widen(address, socket->id.idiag_dst, socket->idiag_family == AF_INET);
	for (size_t at = 0; at < count; at++) {
		if ((targets[at].port == 0 || targets[at].port == ntohs(socket->id.idiag_dport)) &&
		    has_prefix(address, &targets[at]))
			return true;
	}
	return false;
}

static bool send_request(int sock, uint16_t type, uint16_t flags, const struct inet_diag_req_v2 *request)
{
	struct netlink out = { 0 };

	netlink_begin(&out, type, flags, 1, request, sizeof(*request));
	return netlink_send(sock, &out);
}

/* Notes what has to end; false at the end of the list. */
static bool note(const struct nlmsghdr *message, const struct target *targets, size_t count, struct bytes *found)
{
	const struct inet_diag_msg *socket = (const void *)(message + 1);

	if (message->nlmsg_type != SOCK_DIAG_BY_FAMILY || message->nlmsg_len < sizeof(*message) + sizeof(*socket))
		return false;
	if (is_meant(socket, targets, count))
		bytes_add(found, socket, sizeof(*socket));
	return true;
}

static void find(int sock, uint8_t family, const struct target *targets, size_t count, struct bytes *found)
{
	struct inet_diag_req_v2 request = { .sdiag_family = family, .sdiag_protocol = IPPROTO_TCP };
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	ssize_t got;

	request.idiag_states = STATES;
	if (!send_request(sock, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &request))
		return;
	while ((got = netlink_receive(sock, reply, true)) > 0) {
		const struct nlmsghdr *message;
		size_t at = 0;

		while ((message = netlink_next(reply, (size_t)got, &at))) {
			if (!note(message, targets, count, found))
				return;
		}
	}
}

static bool end(int sock, const struct inet_diag_msg *socket)
{
	struct inet_diag_req_v2 request = { .sdiag_family = socket->idiag_family,
					    .sdiag_protocol = IPPROTO_TCP,
					    .id = socket->id };
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	const struct nlmsghdr *message;
	size_t at = 0;

	request.idiag_states = STATES;
	if (!send_request(sock, SOCK_DESTROY, NLM_F_ACK, &request))
		return false;
	ssize_t got = netlink_receive(sock, reply, true);

	message = got > 0 ? netlink_next(reply, (size_t)got, &at) : NULL;
	return message && message->nlmsg_type == NLMSG_ERROR && netlink_error(message) == 0;
}

/* How many connections ended; 0 also where the kernel can't (it lacks CONFIG_INET_DIAG_DESTROY). */
unsigned destroy_sockets(struct sandbox *sandbox, const struct target *targets, size_t count)
{
	struct bytes found = { 0 };
	unsigned ended = 0;
	int sock = count ? netlink_open(&sandbox->space, NETLINK_SOCK_DIAG) : -1;

	if (sock < 0)
		return 0;
	find(sock, AF_INET, targets, count, &found);
	find(sock, AF_INET6, targets, count, &found);
	for (size_t at = 0; at < found.used; at += sizeof(struct inet_diag_msg))
		ended += end(sock, (const void *)(found.data + at));
	bytes_free(&found);
	close(sock);
	return ended;
}
