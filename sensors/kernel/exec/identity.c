#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST 64

static bool same(const struct identity *a, const struct identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->born == b->born;
}

/* The slot of the identity, or the free one that it belongs in. */
static struct known *slot_of(const struct identities *set, const struct identity *id)
{
	uint64_t hash = (id->ino ^ (id->dev << 32) ^ (uint64_t)id->born) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 20) & (set->size - 1);

	while (set->slot[at].standing != STANDING_UNKNOWN && !same(&set->slot[at].id, id))
		at = (at + 1) & (set->size - 1);
	return &set->slot[at];
}

static void grow(struct identities *set)
{
	struct identities larger = { .size = set->size ? set->size * 2 : SIZE_FIRST, .used = set->used };

	larger.slot = must(calloc(larger.size, sizeof(*larger.slot)));
	for (size_t at = 0; at < set->size; at++) {
		if (set->slot[at].standing != STANDING_UNKNOWN)
			*slot_of(&larger, &set->slot[at].id) = set->slot[at];
	}
	free(set->slot);
	*set = larger;
}

/* A denial stays whatever else is said of the file: deny wins. */
void identities_put(struct identities *set, const struct identity *id, enum standing standing, int rule,
		    const char *name)
{
	if (set->used * 2 >= set->size)
		grow(set);
	struct known *slot = slot_of(set, id);

	if (slot->standing == STANDING_DENIED)
		return;
	set->used += slot->standing == STANDING_UNKNOWN;
	free(slot->name);
	*slot =
	    (struct known){ .id = *id, .standing = standing, .rule = rule, .name = name ? must(strdup(name)) : NULL };
}

const struct known *identities_find(const struct identities *set, const struct identity *id)
{
	if (set->size == 0)
		return NULL;
	const struct known *slot = slot_of(set, id);

	return slot->standing == STANDING_UNKNOWN ? NULL : slot;
}

void identities_free(struct identities *set)
{
	for (size_t at = 0; at < set->size; at++)
		free(set->slot[at].name);
	free(set->slot);
	*set = (struct identities){ 0 };
}
