/*
 * For libFuzzer: feeds the parser of a program's protocol with conversations. What needs the kernel is replaced by the
 * program's own fuzz/stubs.c. At its end it says what was answered, as JSON. UCP_FUZZ_PLANT=1: a rare request crashes.
 */
#include "fuzz.h"
#include "wire.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct program program = { .name = "fuzz", .invalid = "KERNEL_REQUEST_INVALID" };
bool plant;
static unsigned long runs, accepted, refused;

/* Each line is a message; one that begins with # goes into the stream as it is, without a length. */
static struct bytes stream_of(const char *input, size_t size)
{
	struct bytes stream = { 0 };

	for (size_t at = 0; at < size;) {
		const char *line = input + at;
		const char *end = memchr(line, '\n', size - at);
		size_t length = end ? (size_t)(end - line) : size - at;
		uint32_t prefix = htonl((uint32_t)length);

		if (length > 0 && *line == '#') {
			bytes_add(&stream, line + 1, length - 1);
		} else {
			bytes_add(&stream, &prefix, sizeof(prefix));
			bytes_add(&stream, line, length);
		}
		at += length + 1;
	}
	return stream;
}

/* An answer is whole, whatever the question was. */
static void check(const json_t *answer)
{
	const json_t *ok = json_object_get(answer, "ok");

	if (!json_is_boolean(ok) || (json_is_false(ok) && !json_is_string(json_object_get(answer, "code"))))
		abort();
	if (json_is_true(ok))
		accepted++;
	else
		refused++;
}

static void say_counts(void)
{
	printf("{\"runs\":%lu,\"accepted\":%lu,\"refused\":%lu}\n", runs, accepted, refused);
}

/* Called by libFuzzer. */
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
	const char *wanted = getenv("UCP_FUZZ_PLANT");

	(void)count, (void)arguments;
	plant = wanted && *wanted == '1';
	return atexit(say_counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct bytes stream = stream_of((const char *)input, size);
	struct bytes out = { 0 };
	bool greeted = false;
	json_t *request;

	runs++;
	while (wire_next(&stream, &request) == FRAME_WHOLE) {
		json_t *answer = request_answer(request, &greeted);

		check(answer);
		wire_put(&out, answer);
		json_decref(answer);
		json_decref(request);
	}
	converse_end();
	bytes_free(&stream);
	bytes_free(&out);
	return 0;
}
