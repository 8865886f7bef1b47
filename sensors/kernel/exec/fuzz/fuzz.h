/* The parts of the fuzzer. */
#ifndef UCP_FUZZ_H
#define UCP_FUZZ_H

#include "kernel.h"

#define INPUT_MAX 8192

struct input {
	size_t length;
	char *bytes; /* room for INPUT_MAX */
};

/* stubs.c */
extern bool plant; /* a rare request crashes */

/* mutate.c: the same seed draws the same */
void seed(uint64_t value);
uint32_t draw(uint32_t below);
void mutate_once(struct input *input, const struct input *other);

#endif
