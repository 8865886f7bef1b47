#include "trace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The object as clang made it. */
__asm__(".section .rodata\n"
	".balign 16\n"
	"observe_begin:\n"
	".incbin \"" OBSERVE "\"\n"
	"observe_end:\n"
	".previous\n");
extern const char observe_begin[], observe_end[];

#define PROGRAMS_MAX 8

static struct bpf_object *object;
static struct ring_buffer *ring;
static int spaces = -1;
static int programs[PROGRAMS_MAX];
static size_t programs_count;
static char said[256]; /* the first thing that libbpf complained of */

static int hear(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level == LIBBPF_WARN && *said == '\0') {
		vsnprintf(said, sizeof(said), format, arguments);
		said[strcspn(said, "\n")] = '\0';
	}
	return 0;
}

static int take(void *context, void *data, size_t size)
{
	const struct record *record = data;
	const char *at = (const char *)(record + 1);
	char path[PATH_ROOM + 2], cwd[PATH_ROOM + 2];
	struct details details = { .path = path, .cwd = cwd };

	(void)context;
	if (size < sizeof(*record))
		return 0;
	if (record->kind == RECORD_FORK)
		tell_fork(record);
	if (record->kind == RECORD_EXIT)
		tell_exit(record);
	if (record->kind != RECORD_EXEC ||
	    size < sizeof(*record) + record->path + record->cwd + record->file + record->args ||
	    record->path > PATH_ROOM || record->cwd > PATH_ROOM)
		return 0;
	path_of(at, record->path, path);
	at += record->path;
	path_of(at, record->cwd, cwd);
	at += record->cwd;
	details.file = record->file > 0 ? at : NULL;
	at += record->file;
	details.args = at;
	details.args_bytes = record->args;
	tell_exec(record, &details);
	return 0;
}

static bool failed(char *why, size_t size, const char *what)
{
	snprintf(why, size, "%s: %s (%s)", what, strerror(errno), *said ? said : "nothing else is known");
	ring_buffer__free(ring);
	bpf_object__close(object);
	ring = NULL;
	object = NULL;
	return false;
}

static bool attach_programs(void)
{
	struct bpf_program *at;

	bpf_object__for_each_program(at, object) {
		/* It lives as long as we do: nothing of it is pinned. */
		if (!bpf_program__attach(at) || programs_count == PROGRAMS_MAX)
			return false;
		programs[programs_count++] = bpf_program__fd(at);
	}
	return true;
}

static bool start(char *why, size_t size)
{
	uint32_t own = space_of(getpid());

	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(hear);
	object = bpf_object__open_mem(observe_begin, (size_t)(observe_end - observe_begin), NULL);
	if (!object)
		return failed(why, size, "the BPF programs can't be read");
	struct bpf_map *constants = bpf_object__find_map_by_name(object, ".rodata");

	if (!constants || bpf_map__set_initial_value(constants, &own, sizeof(own)) < 0)
		return failed(why, size, "the BPF programs can't be told of this namespace");
	if (bpf_object__load(object) < 0)
		return failed(why, size, "the kernel doesn't take the BPF programs");
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), take, NULL, NULL);
	spaces = bpf_object__find_map_fd_by_name(object, "spaces");
	if (!ring || !attach_programs())
		return failed(why, size, "the BPF programs can't be attached");
	return true;
}

static int descriptor(void)
{
	return ring_buffer__epoll_fd(ring);
}

static void serve(void)
{
	ring_buffer__consume(ring);
}

static bool attach(const struct sandbox *sandbox)
{
	const struct space empty = { 0 };

	return bpf_map_update_elem(spaces, &sandbox->space, &empty, BPF_ANY) == 0;
}

static void look_up(struct sandbox *sandbox)
{
	struct space now;

	if (bpf_map_lookup_elem(spaces, &sandbox->space, &now) < 0)
		return;
	sandbox->lost[LOSS_KERNEL] = now.lost;
	sandbox->lost_forks = now.lost_forks;
}

static void detach(const struct sandbox *sandbox)
{
	bpf_map_delete_elem(spaces, &sandbox->space);
	/* What is on its way is still the sandbox's. */
	serve();
}

static void losses(void)
{
	uint64_t missed = 0;

	for (struct sandbox *at = sandboxes; at; at = at->next)
		look_up(at);
	/* A program that came while it ran already: the kernel counts these, but not whose they were. */
	for (size_t index = 0; index < programs_count; index++) {
		struct bpf_prog_info info = { 0 };
		uint32_t length = sizeof(info);

		if (bpf_obj_get_info_by_fd(programs[index], &info, &length) == 0)
			missed += info.recursion_misses;
	}
	unheard = missed;
}

const struct observer tracepoints = {
	.name = "bpf",
	.start = start,
	.descriptor = descriptor,
	.serve = serve,
	.attach = attach,
	.detach = detach,
	.losses = losses,
};
