/* What needs the kernel is replaced: sandboxes are names, and of processes one is known. */
#include "fuzz.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nothing(void)
{
}

static const struct observer none = { .name = "none", .serve = nothing, .losses = nothing };

const struct observer *observer = &none;
struct sandbox *sandboxes;
static struct process known;

const char *observer_why(void)
{
	return "this is a fuzzer";
}

struct sandbox *sandbox_named(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->name, name) != 0)
		at = at->next;
	return at;
}

struct sandbox *sandbox_attach(const char *name, pid_t pid, struct failure *why)
{
	if (pid == 13) {
		fail(why, "KERNEL_PROCESS_UNKNOWN", "/pid", "this one fails");
		return NULL;
	}
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	snprintf(sandbox->name, sizeof(sandbox->name), "%s", name);
	sandbox->next = sandboxes;
	sandboxes = sandbox;
	return sandbox;
}

void sandbox_detach(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	free(sandbox);
}

struct process *process_find(uint32_t pid)
{
	known.sandbox = pid == 2 ? sandboxes : NULL;
	return pid < 3 ? &known : NULL;
}

json_t *lineage_of(const struct process *process)
{
	return process == &known ? json_array() : NULL;
}

void converse_end(void)
{
	while (sandboxes)
		sandbox_detach(sandboxes);
}
