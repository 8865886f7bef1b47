#include "net.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 256
#define ALIKE offsetof(struct logged, source_port)
#define IPV6_HEADER 40
#define IPV6_EXTENSIONS 8

/* Packets that are alike are told of together. */
struct kind {
	struct logged logged; /* the first of them */
	uint64_t count; /* not told of yet */
};

struct kinds {
	size_t used;
	struct kind kind[KINDS_MAX];
};

struct kinds *kinds_new(void)
{
	return must(calloc(1, sizeof(struct kinds)));
}

static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE ||
	       protocol == IPPROTO_SCTP || protocol == IPPROTO_DCCP;
}

static void ports(struct logged *logged, const uint8_t *packet, size_t length, size_t at)
{
	if (!has_ports(logged->protocol) || at + 4 > length)
		return;
	logged->source_port = (uint16_t)(packet[at] << 8 | packet[at + 1]);
	logged->destination_port = (uint16_t)(packet[at + 2] << 8 | packet[at + 3]);
}

static bool parse_ipv4(struct logged *logged, const uint8_t *packet, size_t length)
{
	if (length < 20)
		return false;
	logged->family = 4;
	logged->protocol = packet[9];
	memcpy(logged->source, packet + 12, 4);
	memcpy(logged->destination, packet + 16, 4);
	/* Only the first fragment begins with ports. */
	if ((packet[6] & 0x1f) == 0 && packet[7] == 0)
		ports(logged, packet, length, (size_t)(packet[0] & 15) * 4);
	return true;
}

static bool is_extension(uint8_t header)
{
	return header == IPPROTO_HOPOPTS || header == IPPROTO_ROUTING || header == IPPROTO_DSTOPTS ||
	       header == IPPROTO_FRAGMENT;
}

static bool parse_ipv6(struct logged *logged, const uint8_t *packet, size_t length)
{
	size_t at = IPV6_HEADER;

	if (length < IPV6_HEADER)
		return false;
	logged->family = 6;
	logged->protocol = packet[6];
	memcpy(logged->source, packet + 8, 16);
	memcpy(logged->destination, packet + 24, 16);
	for (int count = 0; count < IPV6_EXTENSIONS && is_extension(logged->protocol) && at + 8 <= length; count++) {
		bool fragment = logged->protocol == IPPROTO_FRAGMENT;

		if (fragment && (packet[at + 2] != 0 || (packet[at + 3] & 0xf8) != 0)) {
			logged->protocol = packet[at];
			return true;
		}
		logged->protocol = packet[at];
		at += fragment ? 8 : 8 + (size_t)packet[at + 1] * 8;
	}
	ports(logged, packet, length, at);
	return true;
}

/* Addresses and ports of an IP packet, of which the begin is there. */
bool logged_parse(struct logged *logged, const uint8_t *packet, size_t length)
{
	if (length > 0 && packet[0] >> 4 == 4)
		return parse_ipv4(logged, packet, length);
	if (length > 0 && packet[0] >> 4 == 6)
		return parse_ipv6(logged, packet, length);
	return false;
}

static json_t *address(const struct logged *logged, const uint8_t *bytes)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (logged->family)
		inet_ntop(logged->family == 4 ? AF_INET : AF_INET6, bytes, text, sizeof(text));
	return json_string(text);
}

static bool tell(struct sandbox *sandbox, struct kind *kind)
{
	const struct logged *logged = &kind->logged;
	char prefix[3 * sizeof(logged->prefix)];
	size_t length = text_decode(logged->prefix, strlen(logged->prefix), prefix);
	json_t *event = must(json_pack(
	    "{s:s, s:s, s:s%, s:i, s:i, s:o, s:o, s:i, s:i, s:I}", "event", "packet", "sandbox", sandbox->name,
	    "prefix", prefix, length, "family", logged->family, "protocol", logged->protocol, "source",
	    address(logged, logged->source), "destination", address(logged, logged->destination), "sourcePort",
	    logged->source_port, "destinationPort", logged->destination_port, "count", (json_int_t)kind->count));

	if (logged->has_uid)
		json_object_set_new(event, "uid", json_integer(logged->uid));
	if (!client_send(event, true))
		return false;
	sandbox->nflog.in_flight += kind->count;
	kind->count = 0;
	return true;
}

/* Counts a packet, and tells of the first of its kind. False when there are too many kinds: it is not counted. */
bool kinds_put(struct sandbox *sandbox, const struct logged *logged)
{
	struct kinds *kinds = sandbox->nflog.kinds;

	for (size_t at = 0; at < kinds->used; at++) {
		if (memcmp(&kinds->kind[at].logged, logged, ALIKE) == 0) {
			kinds->kind[at].count++;
			return true;
		}
	}
	if (kinds->used == KINDS_MAX)
		return false;
	struct kind *kind = &kinds->kind[kinds->used++];

	*kind = (struct kind){ .count = 1 };
	memcpy(&kind->logged, logged, sizeof(*logged));
	tell(sandbox, kind);
	return true;
}

/* Tells of all that was counted; a kind of which there was nothing ends. What can't be told now waits. */
void kinds_tell(struct sandbox *sandbox)
{
	struct kinds *kinds = sandbox->nflog.kinds;
	size_t left = 0;

	for (size_t at = 0; at < kinds->used; at++) {
		bool keep = kinds->kind[at].count > 0;

		if (keep)
			tell(sandbox, &kinds->kind[at]);
		if (keep)
			kinds->kind[left++] = kinds->kind[at];
	}
	kinds->used = left;
}

bool kinds_any(const struct kinds *kinds)
{
	return kinds->used > 0;
}
