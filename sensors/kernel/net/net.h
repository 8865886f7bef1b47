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
 *       `query` is never used again. SERVFAIL is sent when there is no answer after 4 s or no client. The client sees
 * to it that an answer over UDP is as short as the asker needs it
 *
 *   event packet {sandbox, prefix, family: 4|6, protocol, source, destination, sourcePort, destinationPort, uid?,
 *                 count}
 *       logged to group 85; ports are 0 where the protocol has none. The first of a kind at once with count 1, those
 *       like it (all but the source port) once a second with how many more there were
 *
 *   event packets_lost {sandbox, count, reason: kernel|kinds}
 *       logged packets that no `packet` tells of: the kernel dropped them, or there were too many kinds in one second
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

#include "common.h"

#endif
