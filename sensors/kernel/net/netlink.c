#include "net.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BUFFER_BYTES (4 << 20)
#define PATIENCE_S 2

static size_t padded(size_t length)
{
	return (length + 3) & ~(size_t)3;
}

/* Adds to the last message. */
static void extend(struct netlink *out, const void *data, size_t length)
{
	static const uint8_t zeros[4];
	struct nlmsghdr *header;

	if (length > 0)
		bytes_add(&out->bytes, data, length);
	if (padded(length) > length)
		bytes_add(&out->bytes, zeros, padded(length) - length);
	header = (struct nlmsghdr *)(void *)(out->bytes.data + out->message);
	header->nlmsg_len = (uint32_t)(out->bytes.used - out->message);
}

/* Begins a message with this header of its family behind the common one. */
void netlink_begin(struct netlink *out, uint16_t type, uint16_t flags, uint32_t seq, const void *extra, size_t length)
{
	struct nlmsghdr header = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | flags, .nlmsg_seq = seq };

	out->message = out->bytes.used;
	extend(out, &header, sizeof(header));
	extend(out, extra, length);
}

void netlink_put(struct netlink *out, uint16_t type, const void *data, size_t length)
{
	struct nlattr attribute = { .nla_len = (uint16_t)(sizeof(attribute) + length), .nla_type = type };

	extend(out, &attribute, sizeof(attribute));
	extend(out, data, length);
}

void netlink_text(struct netlink *out, uint16_t type, const char *text)
{
	netlink_put(out, type, text, strlen(text) + 1);
}

size_t netlink_nest(struct netlink *out, uint16_t type)
{
	size_t nest = out->bytes.used;

	netlink_put(out, type | NLA_F_NESTED, NULL, 0);
	return nest;
}

void netlink_unnest(struct netlink *out, size_t nest)
{
	((struct nlattr *)(void *)(out->bytes.data + nest))->nla_len = (uint16_t)(out->bytes.used - nest);
}

/* Sends all messages at once; the kernel has done what they ask for when this returns. Frees them. */
bool netlink_send(int sock, struct netlink *out)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent = sendto(sock, out->bytes.data, out->bytes.used, 0, (struct sockaddr *)&kernel, sizeof(kernel));
	int error = errno;

	bytes_free(&out->bytes);
	errno = error;
	return sent >= 0;
}

/* What the kernel sent, at most NETLINK_REPLY_BYTES; 0 when there is nothing (more). A dump may have to be waited for.
 */
ssize_t netlink_receive(int sock, void *buffer, bool wait)
{
	struct sockaddr_nl from;
	socklen_t length = sizeof(from);
	ssize_t got;

	do
		got = recvfrom(sock, buffer, NETLINK_REPLY_BYTES, wait ? 0 : MSG_DONTWAIT, (struct sockaddr *)&from,
			       &length);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN && !wait)
		return 0;
	if (got >= 0 && from.nl_pid != 0) {
		errno = EBADMSG;
		return -1;
	}
	return got;
}

/* The message at this place, which moves on; NULL at the end. */
const struct nlmsghdr *netlink_next(const void *buffer, size_t length, size_t *at)
{
	const struct nlmsghdr *message = (const void *)((const char *)buffer + *at);

	if (length < *at + sizeof(*message) || message->nlmsg_len < sizeof(*message) ||
	    message->nlmsg_len > length - *at)
		return NULL;
	*at += padded(message->nlmsg_len);
	return message;
}

/* What an answer of the kind NLMSG_ERROR or NLMSG_DONE says: an errno or 0. */
int netlink_error(const struct nlmsghdr *message)
{
	int error;

	if (message->nlmsg_len < sizeof(*message) + sizeof(error))
		return message->nlmsg_type == NLMSG_DONE ? 0 : EBADMSG;
	memcpy(&error, message + 1, sizeof(error));
	return -error;
}

/* Content of an attribute with at least so many bytes. */
const void *netlink_find(const void *attributes, size_t length, uint16_t type, size_t least, size_t *found)
{
	const char *at = attributes;

	while (length >= sizeof(struct nlattr)) {
		const struct nlattr *attribute = (const void *)at;
		size_t size = attribute->nla_len;

		if (size < sizeof(*attribute) || size > length)
			return NULL;
		if ((attribute->nla_type & NLA_TYPE_MASK) == type && size - sizeof(*attribute) >= least) {
			if (found)
				*found = size - sizeof(*attribute);
			return attribute + 1;
		}
		size = padded(size) < length ? padded(size) : length;
		at += size;
		length -= size;
	}
	return NULL;
}

/* The same in a message, behind its family's header. */
const void *netlink_attribute(const struct nlmsghdr *message, size_t extra, uint16_t type, size_t least, size_t *found)
{
	size_t skip = sizeof(*message) + padded(extra);

	if (message->nlmsg_len < skip)
		return NULL;
	return netlink_find((const char *)message + skip, message->nlmsg_len - skip, type, least, found);
}

/* A netlink socket of the namespace; reading from it waits for a while. */
int netlink_open(const struct netns *space, int protocol)
{
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int size = BUFFER_BYTES, on = 1;
	int sock = namespace_socket(space, AF_NETLINK, SOCK_RAW, protocol);

	if (sock >= 0 && (setsockopt(sock, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) < 0 ||
			  setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0 ||
			  setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)) < 0 ||
			  setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
			  bind(sock, (struct sockaddr *)&any, sizeof(any)) < 0)) {
		close(sock);
		return -1;
	}
	return sock;
}
