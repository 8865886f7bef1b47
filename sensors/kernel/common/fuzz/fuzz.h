/* What a program's part of its fuzzer (its fuzz/stubs.c) has for fuzz.c. */
#ifndef UCP_FUZZ_H
#define UCP_FUZZ_H

#include "common.h"

extern bool plant; /* a rare request crashes, as a control */

/* Lets go of all that a conversation has made. */
void converse_end(void);

#endif
