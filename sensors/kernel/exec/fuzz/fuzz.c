/*
 * `fuzz RUNS SEED CORPUS [plant|keep]`: feeds the protocol's parser with mutated conversations, in a build with
 * sanitizers. An input that reaches code which none before it did joins the corpus of the run. The same seed gives the
 * same runs. Says what it did, as JSON; what breaks is written to ./crash first. `plant`: a rare request crashes, as a
 * control; `keep`: what joined the corpus is written into it.
 */
#include "fuzz.h"
#include "wire.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS_MAX 4096
#define EDGES (1u << 16)

static unsigned char edges[EDGES];
static unsigned int edge_count, new_edges;
static struct input corpus[CORPUS_MAX];
static size_t corpus_count;
static struct input current;
static unsigned long accepted, refused;

/* Called by what the compiler put into each block of code. */
void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc(void)
{
	static uintptr_t last;
	uintptr_t at = (uintptr_t)__builtin_return_address(0);
	unsigned char *edge = &edges[(at ^ last) % EDGES];

	new_edges += !*edge;
	*edge = 1;
	last = at << 1;
}

static void append(struct bytes *stream, const char *bytes, size_t length)
{
	stream->data = must(realloc(stream->data, stream->used + length + 1));
	memcpy(stream->data + stream->used, bytes, length);
	stream->used += length;
	stream->size = stream->used + 1;
}

/* Each line is a message; one that begins with # goes into the stream as it is, without a length. */
static struct bytes stream_of(const struct input *input)
{
	struct bytes stream = { 0 };

	for (size_t at = 0; at < input->length;) {
		const char *line = input->bytes + at;
		const char *end = memchr(line, '\n', input->length - at);
		size_t length = end ? (size_t)(end - line) : input->length - at;
		uint32_t prefix = htonl((uint32_t)length);

		if (length > 0 && *line == '#') {
			append(&stream, line + 1, length - 1);
		} else {
			append(&stream, (const char *)&prefix, sizeof(prefix));
			append(&stream, line, length);
		}
		at += length + 1;
	}
	return stream;
}

/* An answer is whole, whatever the question was. */
static void check(const json_t *answer)
{
	const json_t *ok = json_object_get(answer, "ok");
	const char *code = json_string_value(json_object_get(answer, "code"));

	if (!json_is_boolean(ok) || (json_is_false(ok) && (!code || strncmp(code, "KERNEL_", 7) != 0)))
		abort();
	if (json_is_true(ok))
		accepted++;
	else
		refused++;
}

static void converse(const struct input *input)
{
	struct bytes stream = stream_of(input);
	struct bytes out = { 0 };
	bool greeted = false;
	json_t *request;

	while (wire_next(&stream, &request) == FRAME_WHOLE) {
		json_t *answer = request_answer(request, &greeted);

		check(answer);
		wire_put(&out, answer);
		json_decref(answer);
		json_decref(request);
	}
	while (sandboxes)
		sandbox_detach(sandboxes);
	free(stream.data);
	free(out.data);
}

static void keep(const struct input *input)
{
	if (corpus_count == CORPUS_MAX)
		return;
	char *bytes = must(malloc(input->length + 1));

	memcpy(bytes, input->bytes, input->length);
	corpus[corpus_count++] = (struct input){ .length = input->length, .bytes = bytes };
}

static void run(void)
{
	new_edges = 0;
	converse(&current);
	edge_count += new_edges;
	if (new_edges > 0)
		keep(&current);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_corpus(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, by_name);
	char file[4096];

	for (int index = 0; index < count; index++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[index]->d_name);
		FILE *open = names[index]->d_name[0] == '.' ? NULL : fopen(file, "re");

		if (open) {
			current.length = fread(current.bytes, 1, INPUT_MAX, open);
			fclose(open);
			keep(&current);
			new_edges = 0;
			converse(&current);
			edge_count += new_edges;
		}
		free(names[index]);
	}
	free(names);
}

static void write_to(const char *path, const struct input *input)
{
	FILE *file = fopen(path, "we");

	if (file) {
		fwrite(input->bytes, 1, input->length, file);
		fclose(file);
	}
}

static void dump(void)
{
	write_to("crash", &current);
}

static void write_corpus(const char *path, size_t from)
{
	char file[4096];

	for (size_t index = from; index < corpus_count; index++) {
		snprintf(file, sizeof(file), "%s/found-%02zu", path, index - from);
		write_to(file, &corpus[index]);
	}
}

int main(int argc, char *argv[])
{
	if (argc < 4)
		die("expected RUNS SEED CORPUS [plant|keep]", NULL);
	unsigned long runs = strtoul(argv[1], NULL, 10);

	seed(strtoull(argv[2], NULL, 10));
	current.bytes = must(malloc(INPUT_MAX));
	__sanitizer_set_death_callback(dump);
	read_corpus(argv[3]);
	size_t given = corpus_count;
	unsigned int begun = edge_count;

	if (!given)
		die("no corpus", argv[3]);
	plant = argc > 4 && strcmp(argv[4], "plant") == 0;
	for (unsigned long number = 0; number < runs; number++) {
		const struct input *from = &corpus[draw((uint32_t)(number % 2 ? corpus_count : given))];

		current.length = from->length;
		memcpy(current.bytes, from->bytes, from->length);
		for (uint32_t times = 1 + draw(3); times > 0; times--)
			mutate_once(&current, &corpus[draw((uint32_t)corpus_count)]);
		run();
	}
	printf("{\"runs\":%lu,\"given\":%zu,\"found\":%zu,\"edgesGiven\":%u,\"edges\":%u,\"accepted\":%lu,"
	       "\"refused\":%lu}\n",
	       runs, given, corpus_count - given, begun, edge_count, accepted, refused);
	if (argc > 4 && strcmp(argv[4], "keep") == 0)
		write_corpus(argv[3], given);
	while (corpus_count > 0)
		free(corpus[--corpus_count].bytes);
	free(current.bytes);
	return 0;
}
