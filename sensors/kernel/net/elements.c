#include "net.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define TABLE "ucp"
#define ELEMENTS_MAX 1024
#define TIMEOUT_MAX_S (30 * 24 * 60 * 60)

struct element {
	const char *set;
	uint8_t key[20]; /* address, then the port in 4 bytes where there is one */
	size_t key_length;
	uint32_t mark; /* 0: none */
	uint64_t timeout_ms;
	bool there; /* already */
};

static bool invalid(struct failure *why, size_t index, const char *message)
{
	char pointer[32];

	snprintf(pointer, sizeof(pointer), "/add/%zu", index);
	return fail(why, "NET_REQUEST_INVALID", pointer, "%s", message);
}

static bool read_key(struct element *element, json_int_t family, const char *address, json_int_t port)
{
	uint16_t number = htons((uint16_t)port);

	if ((family != 4 && family != 6) || port < 0 || port > 65535 ||
	    inet_pton(family == 4 ? AF_INET : AF_INET6, address, element->key) != 1)
		return false;
	element->key_length = family == 4 ? 4 : 16;
	if (port > 0) {
		memcpy(element->key + element->key_length, &number, sizeof(number));
		element->key_length += 4;
	}
	return true;
}

static bool read_element(struct element *element, json_t *value, size_t index, struct failure *why)
{
	json_error_t error;
	const char *address;
	json_int_t family, timeout, port = 0, rule = 0;

	*element = (struct element){ 0 };
	if (json_unpack_ex(value, &error, JSON_STRICT, "{s:s, s:I, s:s, s:I, s?I, s?I}", "set", &element->set, "family",
			   &family, "address", &address, "timeout", &timeout, "port", &port, "rule", &rule) < 0)
		return invalid(why, index, error.text);
	if (*element->set == '\0' || strlen(element->set) >= NFT_SET_MAXNAMELEN)
		return invalid(why, index, "expected the name of a set");
	if (!read_key(element, family, address, port))
		return invalid(why, index, "expected an address of the family 4 or 6, and a port from 1 to 65535");
	if (rule < 0 || rule > UINT32_MAX || timeout < 0 || timeout > TIMEOUT_MAX_S)
		return invalid(why, index, "expected a rule below 2^32 and a timeout of at most 30 days");
	element->mark = (uint32_t)rule;
	element->timeout_ms = (uint64_t)timeout * 1000;
	return true;
}

static void put_data(struct netlink *out, uint16_t type, const void *value, size_t length)
{
	size_t nest = netlink_nest(out, type);

	netlink_put(out, NFTA_DATA_VALUE, value, length);
	netlink_unnest(out, nest);
}

static void put_element(struct netlink *out, uint16_t type, uint16_t flags, uint32_t seq, const struct element *element)
{
	struct nfgenmsg general = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };
	uint64_t timeout = htobe64(element->timeout_ms);
	bool add = type == NFT_MSG_NEWSETELEM;

	netlink_begin(out, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, seq, &general, sizeof(general));
	netlink_text(out, NFTA_SET_ELEM_LIST_TABLE, TABLE);
	netlink_text(out, NFTA_SET_ELEM_LIST_SET, element->set);
	size_t list = netlink_nest(out, NFTA_SET_ELEM_LIST_ELEMENTS);
	size_t item = netlink_nest(out, NFTA_LIST_ELEM);

	put_data(out, NFTA_SET_ELEM_KEY, element->key, element->key_length);
	if (add && element->mark)
		put_data(out, NFTA_SET_ELEM_DATA, &element->mark, sizeof(element->mark));
	if (add && element->timeout_ms)
		netlink_put(out, NFTA_SET_ELEM_TIMEOUT, &timeout, sizeof(timeout));
	netlink_unnest(out, item);
	netlink_unnest(out, list);
}

static void put_batch(struct netlink *out, uint16_t type)
{
	struct nfgenmsg subsystem = { .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	netlink_begin(out, type, 0, 0, &subsystem, sizeof(subsystem));
}

/* Each element has two messages at most. */
#define SEQ_DELETE(index) (2 * (uint32_t)(index) + 1)
#define SEQ_ADD(index) (2 * (uint32_t)(index) + 2)
#define ATTEMPTS 4
/* Elements whose descriptions fit into the socket's buffer together. */
#define LOOK_MAX 128

/* What the kernel said of a transaction. */
struct outcome {
	int error; /* 0: done */
	uint32_t seq; /* of the message that it is about, or 0 */
	bool again; /* some elements are there and some not, other than we thought */
};

static void judge(struct outcome *outcome, const struct nlmsghdr *message, struct element *elements, size_t count)
{
	int error = netlink_error(message);
	size_t index = (message->nlmsg_seq - 1) / 2;
	bool add = message->nlmsg_seq % 2 == 0;

	if (error == 0)
		return;
	if (message->nlmsg_seq > 0 && index < count && error == (add ? EEXIST : ENOENT) &&
	    elements[index].there != add) {
		elements[index].there = add;
		outcome->again = true;
	} else if (!outcome->error) {
		outcome->error = error;
		outcome->seq = message->nlmsg_seq;
	}
}

/* All answers are there when the transaction is over. */
static struct outcome outcome_of(int sock, struct element *elements, size_t count)
{
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	struct outcome outcome = { 0 };
	bool answered = false;
	ssize_t got;

	while ((got = netlink_receive(sock, reply, false)) > 0) {
		const struct nlmsghdr *message;
		size_t at = 0;

		while ((message = netlink_next(reply, (size_t)got, &at))) {
			if (message->nlmsg_type != NLMSG_ERROR)
				continue;
			answered = true;
			judge(&outcome, message, elements, count);
		}
	}
	if (!outcome.error && (got < 0 || !answered))
		outcome.error = got < 0 ? errno : EIO;
	return outcome;
}

/*
 * One transaction. An element that is there keeps its timeout when it is added again (before Linux 6.12) and refuses
 * another value, so it is taken out first; packets see only the end.
 */
static struct outcome transact(int sock, struct element *elements, size_t count)
{
	struct netlink out = { 0 };

	put_batch(&out, NFNL_MSG_BATCH_BEGIN);
	for (size_t at = 0; at < count; at++) {
		uint16_t ack = at + 1 == count ? NLM_F_ACK : 0;

		if (elements[at].there)
			put_element(&out, NFT_MSG_DELSETELEM, 0, SEQ_DELETE(at), &elements[at]);
		put_element(&out, NFT_MSG_NEWSETELEM, (uint16_t)(NLM_F_CREATE | NLM_F_EXCL | ack), SEQ_ADD(at),
			    &elements[at]);
	}
	put_batch(&out, NFNL_MSG_BATCH_END);
	if (!netlink_send(sock, &out))
		return (struct outcome){ .error = errno };
	return outcome_of(sock, elements, count);
}

/*
 * Notes which elements are there. To try to add them would tell as well, but a transaction that fails has the kernel
 * wait for all its processors, ten milliseconds and more.
 */
static void look(int sock, struct element *elements, size_t count)
{
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	struct netlink out = { 0 };
	ssize_t got;

	for (size_t at = 0; at < count; at++)
		put_element(&out, NFT_MSG_GETSETELEM, 0, SEQ_ADD(at), &elements[at]);
	if (!netlink_send(sock, &out))
		return;
	while ((got = netlink_receive(sock, reply, false)) > 0) {
		const struct nlmsghdr *message;
		size_t at = 0;

		while ((message = netlink_next(reply, (size_t)got, &at))) {
			size_t index = (message->nlmsg_seq - 1) / 2;

			if (message->nlmsg_type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWSETELEM) && index < count)
				elements[index].there = true;
		}
	}
}

static bool put_all(struct sandbox *sandbox, struct element *elements, size_t count, struct failure *why)
{
	struct outcome outcome = { .again = true };

	for (size_t at = 0; at < count; at += LOOK_MAX)
		look(sandbox->rules, elements + at, count - at < LOOK_MAX ? count - at : LOOK_MAX);
	for (int attempt = 0; attempt < ATTEMPTS && outcome.again && !outcome.error; attempt++)
		outcome = transact(sandbox->rules, elements, count);
	if (!outcome.error && !outcome.again)
		return true;
	char pointer[32] = "";
	size_t index = (outcome.seq - 1) / 2;
	bool told = outcome.seq > 0 && index < count;

	if (told)
		snprintf(pointer, sizeof(pointer), "/add/%zu", index);
	return fail(why, "NET_ELEMENTS_REFUSED", pointer, "%s%s%s", told ? elements[index].set : "", told ? ": " : "",
		    strerror(outcome.error ? outcome.error : EAGAIN));
}

/* Adds all of the list, or refuses all. */
bool elements_add(struct sandbox *sandbox, const json_t *list, struct failure *why)
{
	size_t count = json_array_size(list);
	struct element *elements;
	bool fine = true;

	if (!json_is_array(list) || count == 0 || count > ELEMENTS_MAX)
		return fail(why, "NET_REQUEST_INVALID", "/add", "expected 1 to %d elements", ELEMENTS_MAX);
	elements = must(calloc(count, sizeof(*elements)));
	for (size_t at = 0; fine && at < count; at++)
		fine = read_element(&elements[at], json_array_get(list, at), at, why);
	fine = fine && put_all(sandbox, elements, count, why);
	free(elements);
	return fine;
}
