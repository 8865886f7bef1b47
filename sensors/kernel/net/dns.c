#include "net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUERY_MAX 4096
/* Packets taken from one socket before others have their turn. */
#define BURST 16
#define BACKLOG 64
/* Room for a burst that comes faster than it is passed on. */
#define RECEIVE_BYTES (1 << 20)

static void udp_ready(struct sandbox *sandbox, int sock)
{
	uint8_t packet[QUERY_MAX];

	for (int count = 0; count < BURST; count++) {
		struct pending asker = { .sock = sock, .peer_length = sizeof(asker.peer) };
		ssize_t got = recvfrom(sock, packet, sizeof(packet), MSG_DONTWAIT | MSG_TRUNC,
				       (struct sockaddr *)&asker.peer, &asker.peer_length);

		if (got < 0)
			return;
		if ((size_t)got > sizeof(packet))
			sandbox->dns.count.dropped++;
		else
			pending_ask(sandbox, &asker, packet, (size_t)got);
	}
}

static void udp4_ready(struct source *source, uint32_t events)
{
	(void)events;
	udp_ready(CONTAINER(source, struct sandbox, dns.udp[0]), source->fd);
}

static void udp6_ready(struct source *source, uint32_t events)
{
	(void)events;
	udp_ready(CONTAINER(source, struct sandbox, dns.udp[1]), source->fd);
}

static bool listen_at(const struct sandbox *sandbox, struct source *source, int family, int type)
{
	struct sockaddr_in four = { .sin_family = AF_INET,
				    .sin_port = htons(DNS_PORT),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
				    .sin6_port = htons(DNS_PORT),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool ipv4 = family == AF_INET;
	const struct sockaddr *address = ipv4 ? (struct sockaddr *)&four : (struct sockaddr *)&six;
	int mark = MARK, on = 1, size = RECEIVE_BYTES;
	int sock = namespace_socket(&sandbox->space, family, type | SOCK_NONBLOCK, 0);

	source->fd = sock;
	/* Connections of an earlier ucp-net may still linger at the port; a listener there is never shared with. */
	return sock >= 0 && (type != SOCK_STREAM || setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0) &&
	       (type != SOCK_DGRAM || setsockopt(sock, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == 0) &&
	       setsockopt(sock, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) == 0 &&
	       (ipv4 || setsockopt(sock, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0) &&
	       bind(sock, address, ipv4 ? sizeof(four) : sizeof(six)) == 0 &&
	       (type != SOCK_STREAM || listen(sock, BACKLOG) == 0);
}

static bool open_pair(struct sandbox *sandbox, int index)
{
	struct dns *dns = &sandbox->dns;
	int family = index == 0 ? AF_INET : AF_INET6;

	dns->udp[index].ready = index == 0 ? udp4_ready : udp6_ready;
	dns->listener[index].ready = stream_accept;
	if (!listen_at(sandbox, &dns->udp[index], family, SOCK_DGRAM) ||
	    !listen_at(sandbox, &dns->listener[index], family, SOCK_STREAM))
		return false;
	loop_add(&dns->udp[index], EPOLLIN);
	loop_add(&dns->listener[index], EPOLLIN);
	return true;
}

static void close_pair(struct dns *dns, int index)
{
	loop_end(&dns->udp[index]);
	loop_end(&dns->listener[index]);
}

/* Opens what is not open yet: IPv6 may come to a namespace later. */
bool dns_open(struct sandbox *sandbox, struct failure *why)
{
	struct dns *dns = &sandbox->dns;

	for (int index = 0; index < 2; index++) {
		if (dns->udp[index].fd >= 0 || open_pair(sandbox, index))
			continue;
		int error = errno;

		close_pair(dns, index);
		if (index == 1 && error != EADDRINUSE)
			continue;
		return error == EADDRINUSE ? fail(why, "NET_DNS_PORT_TAKEN", "",
						  "port %d of the loopback address is in use there", DNS_PORT)
					   : fail(why, "NET_SOCKETS_FAILED", "", "DNS: %s", strerror(error));
	}
	return true;
}

void dns_close(struct sandbox *sandbox)
{
	struct dns *dns = &sandbox->dns;

	close_pair(dns, 0);
	close_pair(dns, 1);
	while (dns->streams)
		stream_end(dns->streams);
	locals_end(sandbox);
	free(dns->pending);
	dns->pending = NULL;
}
