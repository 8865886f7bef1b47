#include "net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP 85
#define HEADERS_BYTES 128 /* of a packet: enough for addresses and ports */
#define WAIT_CS 5 /* how long the kernel gathers packets, in 1/100 s */
#define TELL_MS 1000
#define BURST 64

static const struct nfgenmsg general = { .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = 0 };

static void begin(struct netlink *out, uint32_t seq)
{
	struct nfgenmsg group = general;

	group.res_id = htons(GROUP);
	netlink_begin(out, NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_CONFIG, NLM_F_ACK, seq, &group, sizeof(group));
}

static void command(struct netlink *out, uint8_t number)
{
	begin(out, number);
	netlink_put(out, NFULA_CFG_CMD, &number, sizeof(number));
}

static bool configure(int sock)
{
	struct netlink out = { 0 };
	struct nfulnl_msg_config_mode mode = { .copy_range = htonl(HEADERS_BYTES), .copy_mode = NFULNL_COPY_PACKET };
	uint32_t wait = htonl(WAIT_CS);
	uint16_t flags = htons(NFULNL_CFG_F_SEQ);

	command(&out, NFULNL_CFG_CMD_BIND);
	begin(&out, 0);
	netlink_put(&out, NFULA_CFG_MODE, &mode, sizeof(mode));
	begin(&out, 0);
	netlink_put(&out, NFULA_CFG_TIMEOUT, &wait, sizeof(wait));
	begin(&out, 0);
	netlink_put(&out, NFULA_CFG_FLAGS, &flags, sizeof(flags));
	return netlink_send(sock, &out);
}

/* False when the kernel refused any of it. */
static bool acknowledged(int sock)
{
	uint64_t reply[NETLINK_REPLY_BYTES / sizeof(uint64_t)];
	ssize_t got;

	while ((got = netlink_receive(sock, reply, false)) > 0) {
		const struct nlmsghdr *message;
		size_t at = 0;

		while ((message = netlink_next(reply, (size_t)got, &at))) {
			errno = message->nlmsg_type == NLMSG_ERROR ? netlink_error(message) : 0;
			if (errno)
				return false;
		}
	}
	return got == 0;
}

/* Messages that the kernel could not queue so far. */
static uint32_t drops(int sock)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t length = sizeof(memory);

	getsockopt(sock, SOL_SOCKET, SO_MEMINFO, memory, &length);
	return memory[SK_MEMINFO_DROPS];
}

static void lose(struct nflog *log, uint32_t count)
{
	log->lost_kernel += count;
	log->lost += count;
}

/* Counts, and what the kernel dropped before this packet: packets have numbers. */
static void count(struct nflog *log, const struct nlmsghdr *message)
{
	const uint32_t *seq = netlink_attribute(message, sizeof(struct nfgenmsg), NFULA_SEQ, sizeof(uint32_t), NULL);
	uint32_t number = seq ? ntohl(*seq) : log->next;
	uint32_t gap = number - log->next;

	log->packets++;
	log->next = number + 1;
	if (gap == 0)
		return;
	lose(log, gap > log->owed ? gap - log->owed : 0);
	log->owed = 0;
	log->drops = drops(log->source.fd);
}

/* No packet may come that shows a gap. What is counted here, a message each, the next gap won't count again. */
static void count_overrun(struct nflog *log)
{
	uint32_t unknown = drops(log->source.fd) - log->drops;

	log->overrun = false;
	if (unknown > log->owed) {
		lose(log, unknown - log->owed);
		log->owed = unknown;
	}
}

static void packet(struct sandbox *sandbox, const struct nlmsghdr *message)
{
	struct logged logged = { 0 };
	size_t length;
	const size_t extra = sizeof(struct nfgenmsg);
	const char *prefix = netlink_attribute(message, extra, NFULA_PREFIX, 1, &length);

	count(&sandbox->nflog, message);
	if (prefix)
		memcpy(logged.prefix, prefix, length < sizeof(logged.prefix) ? length - 1 : sizeof(logged.prefix) - 1);
	const uint32_t *uid = netlink_attribute(message, extra, NFULA_UID, sizeof(uint32_t), NULL);

	logged.has_uid = uid != NULL;
	logged.uid = uid ? ntohl(*uid) : 0;
	const uint8_t *payload = netlink_attribute(message, extra, NFULA_PAYLOAD, 1, &length);

	if (payload)
		logged_parse(&logged, payload, length);
	if (!kinds_put(sandbox, &logged)) {
		sandbox->nflog.lost_kinds++;
		sandbox->nflog.lost++;
	}
}

static void receive(struct sandbox *sandbox, int bursts)
{
	uint64_t buffer[NETLINK_REPLY_BYTES / sizeof(uint64_t)];

	while (bursts-- > 0) {
		const struct nlmsghdr *message;
		ssize_t got = netlink_receive(sandbox->nflog.source.fd, buffer, false);
		size_t at = 0;

		/* When it drops the socket says so once; what is queued can be read after that. */
		if (got < 0 && errno == ENOBUFS) {
			sandbox->nflog.overrun = true;
			continue;
		}
		if (got <= 0)
			return;
		while ((message = netlink_next(buffer, (size_t)got, &at))) {
			if (message->nlmsg_type == (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET))
				packet(sandbox, message);
		}
	}
}

static void nflog_ready(struct source *source, uint32_t events)
{
	(void)events;
	receive(CONTAINER(source, struct sandbox, nflog.source), BURST);
}

bool nflog_open(struct sandbox *sandbox, struct failure *why)
{
	struct nflog *log = &sandbox->nflog;

	if (log->source.fd >= 0)
		return true;
	log->source = (struct source){ .fd = netlink_open(&sandbox->space, NETLINK_NETFILTER), .ready = nflog_ready };
	if (log->source.fd < 0 || !configure(log->source.fd) || !acknowledged(log->source.fd))
		return fail(why, "NET_SOCKETS_FAILED", "", "NFLOG: %s", strerror(errno));
	log->kinds = kinds_new();
	loop_add(&log->source, EPOLLIN);
	return true;
}

static void tell_lost(struct sandbox *sandbox, uint64_t *lost, const char *reason)
{
	if (*lost > 0 && client_send(must(json_pack("{s:s, s:s, s:I, s:s}", "event", "packets_lost", "sandbox",
						    sandbox->name, "count", (json_int_t)*lost, "reason", reason)),
				     true))
		*lost = 0;
}

static void tell(struct sandbox *sandbox)
{
	if (sandbox->nflog.overrun)
		count_overrun(&sandbox->nflog);
	kinds_tell(sandbox);
	tell_lost(sandbox, &sandbox->nflog.lost_kernel, "kernel");
	tell_lost(sandbox, &sandbox->nflog.lost_kinds, "kinds");
	tell_lost(sandbox, &sandbox->nflog.lost_client, "client");
}

/* What was told has been sent to the last byte, or the connection ended before. */
void nflog_settle(struct sandbox *sandbox, bool sent, bool lost)
{
	struct nflog *log = &sandbox->nflog;

	if (lost) {
		log->lost_client += log->in_flight;
		log->lost += log->in_flight;
	}
	if (sent || lost)
		log->in_flight = 0;
}

void nflog_sweep(struct sandbox *sandbox, int64_t now)
{
	struct nflog *log = &sandbox->nflog;

	if (log->kinds && now - log->told >= TELL_MS) {
		log->told = now;
		tell(sandbox);
	}
}

bool nflog_any(const struct sandbox *sandbox)
{
	const struct nflog *log = &sandbox->nflog;

	return log->kinds &&
	       (kinds_any(log->kinds) || log->overrun || log->lost_kernel || log->lost_kinds || log->lost_client);
}

/* The kernel gives out what it has gathered when the group ends. */
void nflog_close(struct sandbox *sandbox)
{
	struct nflog *log = &sandbox->nflog;

	if (log->kinds) {
		struct netlink out = { 0 };

		command(&out, NFULNL_CFG_CMD_UNBIND);
		netlink_send(log->source.fd, &out);
		receive(sandbox, INT32_MAX);
		tell(sandbox);
	}
	loop_end(&log->source);
	free(log->kinds);
	log->kinds = NULL;
}
