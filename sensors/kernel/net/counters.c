#include "net.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>

#define TABLE "ucp"
#define ATTEMPTS 5

static bool ask(int sock)
{
	struct netlink out = { 0 };
	struct nfgenmsg general = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };
	uint32_t type = htonl(NFT_OBJECT_COUNTER);

	netlink_begin(&out, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETOBJ, NLM_F_DUMP, 1, &general, sizeof(general));
	netlink_text(&out, NFTA_OBJ_TABLE, TABLE);
	netlink_put(&out, NFTA_OBJ_TYPE, &type, sizeof(type));
	return netlink_send(sock, &out);
}

static json_int_t number(const void *data, size_t length, uint16_t type)
{
	uint64_t value = 0;
	const void *found = netlink_find(data, length, type, sizeof(value), NULL);

	if (found)
		memcpy(&value, found, sizeof(value));
	return (json_int_t)be64toh(value);
}

static void put(json_t *counters, const struct nlmsghdr *message)
{
	size_t name_length, length;
	const size_t extra = sizeof(struct nfgenmsg);
	const char *name = netlink_attribute(message, extra, NFTA_OBJ_NAME, 1, &name_length);
	const void *data = netlink_attribute(message, extra, NFTA_OBJ_DATA, 0, &length);

	if (name && data)
		json_object_setn_new(counters, name, strnlen(name, name_length),
				     json_pack("{s:I, s:I}", "packets", number(data, length, NFTA_COUNTER_PACKETS),
					       "bytes", number(data, length, NFTA_COUNTER_BYTES)));
}

/* 0 when all were read, EINTR when the rules changed meanwhile, else what went wrong. */
static int dump(int sock, json_t *counters)
{
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	bool interrupted = false;
	ssize_t got;

	if (!ask(sock))
		return errno;
	while ((got = netlink_receive(sock, reply, true)) > 0) {
		const struct nlmsghdr *message;
		size_t at = 0;

		while ((message = netlink_next(reply, (size_t)got, &at))) {
			interrupted |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
			if (message->nlmsg_type == NLMSG_DONE)
				return interrupted ? EINTR : netlink_error(message);
			if (message->nlmsg_type == NLMSG_ERROR)
				return netlink_error(message);
			put(counters, message);
		}
	}
	return got < 0 ? errno : EIO;
}

/* Fills in {name: {packets, bytes}}. */
bool counters_read(struct sandbox *sandbox, json_t *counters, struct failure *why)
{
	int error = EINTR;

	for (int attempt = 0; attempt < ATTEMPTS && error == EINTR; attempt++) {
		json_object_clear(counters);
		error = dump(sandbox->rules, counters);
	}
	return error == 0 || fail(why, "NET_COUNTERS_FAILED", "", "%s", strerror(error));
}
