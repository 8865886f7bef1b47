#include "trace.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
/* Somebody may ask about them for a while: who was refused an exec has often ended already. */
#define DEAD_MAX 4096

static struct process *buckets[BUCKETS];
static struct process *dead_first;
static struct process **dead_last = &dead_first;
static size_t dead_count;

static struct process **place(uint32_t pid)
{
	struct process **at = &buckets[pid % BUCKETS];

	while (*at && (*at)->lineage[0].who.pid != pid)
		at = &(*at)->chained;
	return at;
}

struct process *process_find(uint32_t pid)
{
	return *place(pid);
}

static void unchain(const struct process *process)
{
	struct process **at = &buckets[process->lineage[0].who.pid % BUCKETS];

	while (*at && *at != process)
		at = &(*at)->chained;
	if (*at)
		*at = process->chained;
}

static void process_free(struct process *process)
{
	unchain(process);
	free(process->path);
	free(process);
}

static void forget_oldest_dead(void)
{
	struct process *oldest = dead_first;

	dead_first = oldest->later;
	if (!dead_first)
		dead_last = &dead_first;
	dead_count--;
	process_free(oldest);
}

static bool is_same(const struct ancestor *ancestor, const struct who *who)
{
	return ancestor->who.pid == who->pid && ancestor->who.born == who->born;
}

/* One that was just forked, or is heard of for the first time; who died under the same number is not found any more. */
struct process *process_begin(struct sandbox *sandbox, const struct record *record)
{
	struct process *before = process_find(record->self.pid);
	struct process *parent = process_find(record->parent.pid);
	bool known = parent && parent->sandbox == sandbox && is_same(parent->lineage, &record->parent);
	/* Who is in the sandbox by somebody outside begins a lineage, with that one as its only ancestor. */
	unsigned above = known ? (parent->depth < LINEAGE_MAX ? parent->depth : LINEAGE_MAX - 1)
			       : record->parent.inside > 0;
	struct process *process = must(calloc(1, sizeof(*process) + (above + 1) * sizeof(struct ancestor)));

	if (before && before->dead)
		unchain(before);
	else if (before)
		process_free(before);
	process->sandbox = sandbox;
	process->depth = above + 1;
	process->lineage[0] = (struct ancestor){ .who = record->self, .by = record->by };
	memcpy(process->lineage[0].comm, record->comm, COMM_BYTES);
	if (known)
		memcpy(process->lineage + 1, parent->lineage, above * sizeof(struct ancestor));
	else if (above > 0)
		process->lineage[1] = (struct ancestor){ .who = record->parent };
	process->chained = buckets[record->self.pid % BUCKETS];
	buckets[record->self.pid % BUCKETS] = process;
	return process;
}

void process_end(struct process *process)
{
	process->dead = true;
	*dead_last = process;
	dead_last = &process->later;
	if (++dead_count > DEAD_MAX)
		forget_oldest_dead();
}

/* All of a sandbox that is no more. */
void processes_forget(const struct sandbox *sandbox)
{
	struct process **dead = &dead_first;

	while (*dead) {
		if ((*dead)->sandbox == sandbox) {
			struct process *gone = *dead;

			*dead = gone->later;
			dead_count--;
			process_free(gone);
		} else {
			dead = &(*dead)->later;
		}
	}
	dead_last = dead;
	for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
		struct process *at = buckets[bucket];

		while (at) {
			struct process *next = at->chained;

			if (at->sandbox == sandbox)
				process_free(at);
			at = next;
		}
	}
}
