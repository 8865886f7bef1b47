/* The process that outlives a decider and what it keeps for the next one. */
#ifndef UCP_KEEPER_H
#define UCP_KEEPER_H

#include "kernel.h"

void keeper_split(void);
void keeper_put(const struct sandbox *sandbox, const json_t *request);
void keeper_drop(const struct sandbox *sandbox);

#endif
