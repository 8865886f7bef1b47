#include "kernel.h"

#include <string.h>

static const char *const LISTS[] = {
	[LIST_DENY] = "deny",	[LIST_ALLOW] = "allow", [LIST_DRIFT] = "drift",
	[LIST_LIMIT] = "limit", [LIST_PATH] = "path",
};

/* The exact bytes, for a path that is no text. */
static json_t *hex_of(const char *path)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * PATH_BYTES];
	size_t length = strlen(path);

	for (size_t at = 0; at < length; at++) {
		hex[2 * at] = digits[(unsigned char)path[at] >> 4];
		hex[2 * at + 1] = digits[(unsigned char)path[at] & 15];
	}
	return json_stringn(hex, 2 * length);
}

static void add_path(json_t *event, const char *key, const char *hex, const char *path)
{
	char text[TEXT_BYTES];

	if (!path) {
		json_object_set_new(event, key, json_null());
		return;
	}
	size_t length = text_decode(path, strlen(path), text);

	json_object_set_new(event, key, json_stringn(text, length));
	if (length != strlen(path) || memcmp(path, text, length) != 0)
		json_object_set_new(event, hex, hex_of(path));
}

/* All that is said of it but how often. */
json_t *event_of(const struct violation *violation)
{
	const struct sandbox *sandbox = violation->sandbox;
	bool enforce = sandbox->policy.enforce;
	enum list list = violation->rule == RULE_LIMIT ? LIST_LIMIT : violation->list;
	json_t *event = must(json_pack("{s:s, s:s, s:s, s:o, s:I, s:s, s:s, s:s, s:s?}", "type", "exec_violation",
				       "sandbox", sandbox->kept->name, "list", LISTS[list], "rule",
				       violation->rule >= 0 ? json_integer(violation->rule) : json_null(), "generation",
				       sandbox->policy.generation, "mode", enforce ? "enforce" : "observe", "action",
				       enforce ? "block" : "observe", "access", violation->read ? "open" : "exec",
				       "origin", origin_name(violation->origin)));

	add_path(event, "path", "pathHex", violation->path);
	if (violation->name)
		add_path(event, "named", "namedHex", violation->name);
	asker_describe(violation->pid, event);
	return event;
}
