/*
 * ucp-net: the network side of sandboxes. In the network namespace of each it puts rules in force, carries DNS packets
 * to the control plane and back, and tells of what the rules log. It parses no DNS and decides nothing.
 *
 * The protocol. Over a Unix stream socket (`--listen PATH` or `--connect PATH`): 4 bytes of length, big-endian, then as
 * many bytes of JSON, at most 4 MiB. One client at a time; a new one may come when the old one is gone. Requests carry
 * `id` (any value) and `op`, answers are {id, ok: true, …} or {id, ok: false, code, pointer, message}; other messages
 * are events and have no id. Unknown keys are refused. Answers may come in another order than their requests, except
 * among those to one sandbox that change it. Packets are DNS messages in base64, without the length that TCP has.
 *
 *   hello {protocol: 1} → {protocol, sandboxes: [{sandbox, pid, generation}]}
 *       first; the sandboxes that are attached, whoever attached them
 *   attach {sandbox, pid, generation, rules} → {dns6}
 *       `rules` is text for nft, one transaction. They are in force when this is refused with NET_DNS_PORT_TAKEN or
 *       NET_SOCKETS_FAILED, though nothing answers names then. Again for the same namespace: only the rules; for
 *       another one: lets go of the old. `dns6`: [::1]:5053 answers too (where the namespace has IPv6)
 *   update {sandbox, generation, rules, destroy?: [{address, port}]} → {destroyed}
 *       then ends TCP connections to these addresses (`1.2.3.4`, `10.0.0.0/8`, `fd00::/8`; port 0: all), as far as the
 *       kernel can: how many
 *   elements {sandbox, add: [{set, family, address, port?, rule?, timeout}]} → {}
 *       into sets and maps of the table `inet ucp`, all or none: key `address` or `address . port` (family 4 or 6),
 *       value `rule` (a mark, 1…2³²-1) where the set is a map. `timeout` in seconds, 0: for ever; an element that is
 *       there gets the new timeout and value
 *   counters {sandbox} → {counters: {name: {packets, bytes}}, dns: {…}, nflog: {packets, lost}}
 *       the named counters of the table `inet ucp`, and our own since the attach:
 *       dns: queries (passed on), answered, failed (answered SERVFAIL here), dropped (too many, too long)
 *   detach {sandbox} → {}       rules stay, all else ends; a namespace without processes ends with this
 *   dns_answer {sandbox, query, packet} → {delivered}     false: it came too late, or the asker is gone
 *   dns_drop {sandbox, query} → {}                        nothing is sent
 *   dns_local {sandbox, packet} → {packet}
 *       asks 127.0.0.11:53 inside, by TCP from a socket with mark 0x55 (over UDP the sandbox could forge the answer)
 *
 *   event dns_query {sandbox, query, transport: udp|tcp, packet}
 *       `query` is never used again. SERVFAIL is sent when there is no answer after 4 s or no client. An answer over
 *       UDP goes out as it is: the client keeps it as short as its asker needs
 *
 *   event packet {sandbox, prefix, family: 4|6, protocol, source, destination, sourcePort, destinationPort, uid?,
 *                 count}
 *       logged to group 85; ports are 0 where the protocol has none. The first of a kind at once with count 1, those
 *       like it (all but the source port) once a second with how many more there were
 *
 *   event packets_lost {sandbox, count, reason: kernel|kinds|client}
 *       logged packets that no `packet` tells of: the kernel dropped them, there were too many kinds in one second, or
 *       the connection ended before its event was sent
 *
 * Codes: NET_REQUEST_INVALID, NET_PROTOCOL_UNKNOWN, NET_SANDBOX_UNKNOWN, NET_PROCESS_UNKNOWN, NET_NAMESPACE_SHARED (it
 * is the host's, ours or another sandbox's), NET_RULES_REFUSED (nft's words), NET_RULES_TIMEOUT, NET_DNS_PORT_TAKEN,
 * NET_SOCKETS_FAILED, NET_ELEMENTS_REFUSED, NET_COUNTERS_FAILED, NET_LOCAL_FAILED, NET_BUSY.
 *
 * What rules have to do: let mark 0x55 pass, redirect DNS to port 5053, `log prefix "ucp:<verdict>:<rule>" group 85`.
 * Without a client rules stay as they are and names are answered SERVFAIL; logged packets are counted until one comes.
 */
#ifndef UCP_NET_H
#define UCP_NET_H

#include "wire.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/types.h>

#define NAME_MAX_BYTES 255
#define MARK 0x55
#define DNS_PORT 5053
#define TICK_MS 100

/* loop.c: descriptors, and what to do when they are ready. One event at a time, so `ready` may end any of them. */
struct source {
	int fd;
	void (*ready)(struct source *source, uint32_t events);
};

void loop_setup(void);
void loop_add(struct source *source, uint32_t events);
void loop_change(const struct source *source, uint32_t events);
void loop_end(struct source *source);
_Noreturn void loop_run(void);
int64_t now_ms(void);

#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* namespace.c */
struct netns {
	int fd;
	dev_t dev;
	ino_t ino;
};

void namespace_setup(void);
bool namespace_open(struct netns *space, pid_t pid, struct failure *why);
bool namespace_same(const struct netns *one, const struct netns *other);
int namespace_socket(const struct netns *space, int family, int type, int protocol);

/* base64.c */
json_t *base64_encode(const uint8_t *bytes, size_t length);
bool base64_decode(const char *text, size_t length, uint8_t *bytes, size_t *used);

/* packet.c: the little of DNS that is known here. */
#define DNS_HEADER 12
#define DNS_QUESTION 272 /* header, name, type and class */
#define DNS_MAX 65535

size_t packet_failure(const uint8_t *query, size_t length, uint8_t answer[DNS_QUESTION]);

/* pending.c: questions that the client was told of. */
#define PENDING_MAX 512

struct stream;

struct pending {
	uint64_t query; /* 0: free */
	int64_t due;
	int sock; /* UDP, */
	struct sockaddr_in6 peer; /* also for IPv4; */
	socklen_t peer_length;
	struct stream *stream; /* or TCP */
	size_t length;
	uint8_t failure[DNS_QUESTION];
};

struct dns_counters {
	uint64_t queries, answered, failed, dropped;
};

struct sandbox;

struct dns {
	struct source udp[2], listener[2]; /* IPv4, IPv6 or -1 */
	struct stream *streams;
	struct local *locals;
	struct pending *pending;
	uint16_t free[PENDING_MAX];
	size_t free_count;
	struct dns_counters count;
};

bool pending_ask(struct sandbox *sandbox, const struct pending *asker, const uint8_t *packet, size_t length);
struct pending *pending_find(struct sandbox *sandbox, uint64_t query);
void pending_answer(struct sandbox *sandbox, struct pending *pending, const uint8_t *packet, size_t length);
void pending_free(struct sandbox *sandbox, struct pending *pending);
void pending_sweep(struct sandbox *sandbox, int64_t now, bool connected);
bool pending_any(const struct sandbox *sandbox);
void pending_forget(struct sandbox *sandbox, const struct stream *stream);

/* dns.c, stream.c, local.c */
bool dns_open(struct sandbox *sandbox, struct failure *why);
void dns_close(struct sandbox *sandbox);
void stream_accept(struct source *listener, uint32_t events);
void stream_answer(struct stream *stream, const uint8_t *packet, size_t length);
void stream_end(struct stream *stream);
void streams_sweep(struct sandbox *sandbox, int64_t now);
bool local_ask(struct sandbox *sandbox, const json_t *request, const uint8_t *packet, size_t length,
	       struct failure *why);
void locals_sweep(struct sandbox *sandbox, int64_t now);
void locals_end(struct sandbox *sandbox);

/* netlink.c */
struct netlink {
	struct bytes bytes;
	size_t message; /* where the last one begins */
};

#define NETLINK_REPLY_BYTES (64 * 1024)

struct nlmsghdr;
struct nlattr;
void netlink_begin(struct netlink *out, uint16_t type, uint16_t flags, uint32_t seq, const void *extra, size_t length);
void netlink_put(struct netlink *out, uint16_t type, const void *data, size_t length);
void netlink_text(struct netlink *out, uint16_t type, const char *text);
size_t netlink_nest(struct netlink *out, uint16_t type);
void netlink_unnest(struct netlink *out, size_t nest);
bool netlink_send(int sock, struct netlink *out);
ssize_t netlink_receive(int sock, void *buffer, bool wait);
const struct nlmsghdr *netlink_next(const void *buffer, size_t length, size_t *at);
int netlink_error(const struct nlmsghdr *message);
const void *netlink_find(const void *attributes, size_t length, uint16_t type, size_t least, size_t *found);
const void *netlink_attribute(const struct nlmsghdr *message, size_t extra, uint16_t type, size_t least, size_t *found);
int netlink_open(const struct netns *space, int protocol);

/* nflog.c, kinds.c */
struct kinds;

struct nflog {
	struct source source;
	struct kinds *kinds;
	uint32_t next; /* number that the kernel gives to the next packet */
	uint32_t drops; /* messages dropped up to the last gap in the numbers; */
	uint32_t owed; /* those that were counted since */
	bool overrun; /* and whether there may be more */
	uint64_t packets, lost;
	uint64_t in_flight; /* of what was told, what may not be sent yet */
	uint64_t lost_kernel, lost_kinds, lost_client; /* not told of yet */
	int64_t told;
};

struct logged {
	char prefix[128];
	uint8_t source[16], destination[16];
	uint32_t uid;
	bool has_uid;
	uint8_t family, protocol, unused; /* no gaps: these are compared as bytes */
	uint16_t destination_port;
	uint16_t source_port; /* last: not part of what makes packets alike */
};

bool nflog_open(struct sandbox *sandbox, struct failure *why);
void nflog_close(struct sandbox *sandbox);
void nflog_settle(struct sandbox *sandbox, bool sent, bool lost);
void nflog_sweep(struct sandbox *sandbox, int64_t now);
bool nflog_any(const struct sandbox *sandbox);
bool logged_parse(struct logged *logged, const uint8_t *packet, size_t length);
struct kinds *kinds_new(void);
bool kinds_put(struct sandbox *sandbox, const struct logged *logged);
void kinds_tell(struct sandbox *sandbox);
bool kinds_any(const struct kinds *kinds);

/* elements.c, counters.c, destroy.c: netlink sockets that stay in the namespace. */
bool elements_add(struct sandbox *sandbox, const json_t *list, struct failure *why);
bool counters_read(struct sandbox *sandbox, json_t *counters, struct failure *why);
struct target {
	uint8_t address[16]; /* IPv4 as ::ffff:a.b.c.d */
	unsigned bits;
	uint16_t port; /* 0: any */
};
bool targets_read(const json_t *list, struct target **targets, size_t *count, struct failure *why);
unsigned destroy_sockets(struct sandbox *sandbox, const struct target *targets, size_t count);

/* nft.c: a run of nft in a sandbox's namespace. */
struct job;
bool job_start(struct sandbox *sandbox, json_t *request, const char *rules, struct failure *why);
void jobs_sweep(struct sandbox *sandbox, int64_t now);

/* sandbox.c */
struct sandbox {
	struct sandbox *next;
	char name[NAME_MAX_BYTES + 1];
	pid_t pid;
	int64_t generation;
	struct netns space;
	bool ready;
	struct job *job; /* rules that are being put in force; what comes meanwhile waits: */
	json_t *waiting; /* [[request, number of its client]…] */
	struct dns dns;
	struct nflog nflog;
	int rules; /* netlink */
};

extern struct sandbox *sandboxes;
struct sandbox *sandbox_find(const char *name);
struct sandbox *sandbox_new(const char *name, pid_t pid, const struct netns *space);
bool sandbox_open(struct sandbox *sandbox, struct failure *why);
void sandbox_free(struct sandbox *sandbox);
void sandboxes_sweep(void);
bool sandboxes_busy(void);

/* request.c, ops.c */
struct call {
	json_t *request; /* borrowed */
	json_t *answer;
	struct failure why;
	bool later; /* it is answered when it is done */
};

void request_later(json_t *request, unsigned client, json_t *answer, const struct failure *why);
void request_waiting(json_t *waiting);
bool op_hello(struct call *call);
bool op_attach(struct call *call);
bool op_update(struct call *call);
bool op_elements(struct call *call);
bool op_counters(struct call *call);
bool op_detach(struct call *call);
bool op_dns_answer(struct call *call);
bool op_dns_drop(struct call *call);
bool op_dns_local(struct call *call);
void rules_done(struct sandbox *sandbox, json_t *request, unsigned client, struct failure *why);

#endif
