#include "trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void put_comm(json_t *object, const char *comm)
{
	char text[3 * COMM_BYTES];

	json_object_set_new(object, "comm", json_stringn(text, text_decode(comm, strnlen(comm, COMM_BYTES), text)));
}

/* The process and its ancestors, nearest first, as they were when each was forked. */
json_t *lineage_of(const struct process *process)
{
	json_t *list = must(json_array());

	for (unsigned index = 0; index < process->depth; index++) {
		const struct ancestor *ancestor = &process->lineage[index];
		json_t *item = must(json_pack("{s:I, s:I, s:I, s:I}", "pid", (json_int_t)ancestor->who.pid, "pidInside",
					      (json_int_t)ancestor->who.inside, "born", (json_int_t)ancestor->who.born,
					      "by", (json_int_t)ancestor->by));

		if (*ancestor->comm)
			put_comm(item, ancestor->comm);
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *event_of(const char *type, const struct sandbox *sandbox, const struct record *record)
{
	int64_t ago = record->at ? now_ns(CLOCK_MONOTONIC) - (int64_t)record->at : 0;
	json_t *event = must(json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I}", "type", type, "sandbox", sandbox->name,
				       "observedBy", observer->name, "time",
				       (json_int_t)((now_ns(CLOCK_REALTIME) - ago) / 1000000), "pid",
				       (json_int_t)record->self.pid, "pidInside", (json_int_t)record->self.inside, "uid",
				       (json_int_t)record->uid));

	put_comm(event, record->comm);
	return event;
}

static void put_args(json_t *event, const struct details *details, uint32_t flags)
{
	json_t *args = must(json_array());
	char *text = must(malloc(3 * details->args_bytes + 1));
	const char *at = details->args;
	const char *end = details->args + details->args_bytes;

	while (at < end) {
		size_t length = strnlen(at, (size_t)(end - at));

		json_array_append_new(args, json_stringn(text, text_decode(at, length, text)));
		at += length + 1;
	}
	free(text);
	json_object_set_new(event, "args", args);
	if (flags & (CUT_ARGS | NO_ARGS))
		json_object_set_new(event, "argsCut", json_true());
}

/* What tells one exec from another of the same parent. */
static size_t key_of_exec(char *key, size_t size, const struct record *record, const struct details *details)
{
	const char *const texts[] = { details->path, details->cwd, details->file };
	size_t used = 1 + sizeof(record->uid) + sizeof(record->parent);

	if (size < used + details->args_bytes)
		return 0;
	key[0] = 'x';
	memcpy(key + 1, &record->uid, sizeof(record->uid));
	memcpy(key + 1 + sizeof(record->uid), &record->parent, sizeof(record->parent));
	if (details->args_bytes > 0)
		memcpy(key + used, details->args, details->args_bytes);
	used += details->args_bytes;
	for (size_t index = 0; index < sizeof(texts) / sizeof(*texts); index++) {
		size_t length = texts[index] ? strlen(texts[index]) + 1 : 0;

		if (used + length > size)
			return 0;
		if (length > 0)
			memcpy(key + used, texts[index], length);
		used += length;
	}
	return used;
}

void tell_fork(const struct record *record)
{
	struct sandbox *sandbox = sandbox_of(record->space);

	if (sandbox)
		process_begin(sandbox, record);
}

/* The process as it is known, or what an exec says of one that is not. */
static struct process *known(struct sandbox *sandbox, const struct record *record)
{
	struct process *process = process_find(record->self.pid);

	return process && !process->dead && process->lineage[0].who.born == record->self.born
		   ? process
		   : process_begin(sandbox, record);
}

/* As the file is now: one that is gone has no origin. */
static void put_origin(json_t *event, const struct sandbox *sandbox, const char *path)
{
	int fd = sandbox->root < 0 ? -1 : open_inside(sandbox->root, path, O_PATH | O_NOFOLLOW);
	struct statx found;

	if (fd < 0)
		return;
	const char *name = statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found) < 0
			       ? NULL
			       : origin_name(origin_of(&sandbox->place, fd, &found, path));

	if (name)
		json_object_set_new(event, "origin", json_string(name));
	close(fd);
}

void tell_exec(const struct record *record, const struct details *details)
{
	struct sandbox *sandbox = sandbox_of(record->space);
	char key[1024];

	if (!sandbox)
		return;
	struct process *process = known(sandbox, record);
	json_t *event = event_of("process_exec", sandbox, record);

	sandbox->execs++;
	free(process->path);
	process->path = must(strdup(details->path ? details->path : ""));
	memcpy(process->lineage[0].comm, record->comm, COMM_BYTES);
	if (details->path)
		put_text(event, "path", details->path, strlen(details->path));
	if (details->file)
		put_text(event, "file", details->file, strlen(details->file));
	if (details->cwd)
		put_text(event, "cwd", details->cwd, strlen(details->cwd));
	put_args(event, details, record->flags);
	if (record->flags & DELETED)
		json_object_set_new(event, "deleted", json_true());
	if (record->flags & (CUT_PATH | CUT_CWD))
		json_object_set_new(event, "pathsCut", json_true());
	if (details->path && !(record->flags & (DELETED | CUT_PATH)))
		put_origin(event, sandbox, details->path);
	json_object_set_new(event, "lineage", lineage_of(process));
	kind_tell(sandbox, event, key, key_of_exec(key, sizeof(key), record, details));
}

/* Of programs: a child that executes nothing is part of its parent's, unless something killed it. */
void tell_exit(const struct record *record)
{
	struct process *process = process_find(record->self.pid);
	struct sandbox *sandbox = sandbox_of(record->space);
	int status = (int)record->status;
	char key[1024];

	if (!sandbox || (process && process->dead))
		return;
	if (!process)
		process = process_begin(sandbox, record);
	const char *path = process->path;

	if (!(record->flags & NO_EXEC) || WIFSIGNALED(status)) {
		json_t *event = event_of("process_exit", sandbox, record);
		const char *name = path ? path : "";
		size_t length = 1 + sizeof(status) + COMM_BYTES + strlen(name);

		sandbox->exits++;
		if (WIFSIGNALED(status))
			json_object_set_new(event, "signal", json_integer(WTERMSIG(status)));
		else
			json_object_set_new(event, "code", json_integer(WEXITSTATUS(status)));
		if (path && *path)
			put_text(event, "path", path, strlen(path));
		json_object_set_new(event, "lineage", lineage_of(process));
		if (length <= sizeof(key)) {
			key[0] = 'e';
			memcpy(key + 1, &status, sizeof(status));
			memcpy(key + 1 + sizeof(status), record->comm, COMM_BYTES);
			memcpy(key + length - strlen(name), name, strlen(name));
		}
		kind_tell(sandbox, event, key, length <= sizeof(key) ? length : 0);
	}
	process_end(process);
}
