#include "net.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sandbox *sandboxes;

struct sandbox *sandbox_find(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->name, name) != 0)
		at = at->next;
	return at;
}

/* Takes over the namespace's descriptor. */
struct sandbox *sandbox_new(const char *name, pid_t pid, const struct netns *space)
{
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	memcpy(sandbox->name, name, strlen(name) + 1);
	sandbox->pid = pid;
	sandbox->space = *space;
	sandbox->waiting = must(json_array());
	sandbox->rules = sandbox->nflog.source.fd = -1;
	for (int index = 0; index < 2; index++)
		sandbox->dns.udp[index].fd = sandbox->dns.listener[index].fd = -1;
	sandbox->next = sandboxes;
	sandboxes = sandbox;
	return sandbox;
}

/* Opens what isn't open yet of the sockets in its namespace. */
bool sandbox_open(struct sandbox *sandbox, struct failure *why)
{
	if (sandbox->rules < 0)
		sandbox->rules = netlink_open(&sandbox->space, NETLINK_NETFILTER);
	if (sandbox->rules < 0)
		return fail(why, "NET_SOCKETS_FAILED", "", "netlink: %s", strerror(errno));
	return nflog_open(sandbox, why) && dns_open(sandbox, why);
}

/* Its sockets would hold the namespace. */
void sandbox_free(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	nflog_close(sandbox);
	dns_close(sandbox);
	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	if (sandbox->rules >= 0)
		close(sandbox->rules);
	close(sandbox->space.fd);
	json_decref(sandbox->waiting);
	free(sandbox);
}

/* Something waits for its time. */
static bool is_busy(const struct sandbox *sandbox)
{
	return sandbox->job || pending_any(sandbox) || sandbox->dns.streams || sandbox->dns.locals ||
	       nflog_any(sandbox);
}

bool sandboxes_busy(void)
{
	const struct sandbox *at = sandboxes;

	while (at && !is_busy(at))
		at = at->next;
	return at != NULL;
}

/* Keeps account of what the client may not have got. */
static void settle(void)
{
	static unsigned int losses;
	unsigned int now;
	bool sent = client_is_idle(&now);

	for (struct sandbox *at = sandboxes; (sent || now != losses) && at; at = at->next)
		nflog_settle(at, sent, now != losses);
	losses = now;
}

/* Ends what waited for long enough, every so often; at once where nobody is left to answer. */
void sandboxes_sweep(void)
{
	static int64_t swept;
	static bool connected;
	int64_t now = now_ms();
	bool lost = connected && !client_greeted();

	connected = client_greeted();
	settle();
	if (now - swept < TICK_MS && !lost)
		return;
	swept = now;
	for (struct sandbox *at = sandboxes; at; at = at->next) {
		jobs_sweep(at, now);
		pending_sweep(at, now, connected);
		locals_sweep(at, now);
		streams_sweep(at, now);
		nflog_sweep(at, now);
	}
}
