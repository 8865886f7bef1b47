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

static void add_path(json_t *event, const char *path)
{
	char text[TEXT_BYTES];

	if (!path) {
		json_object_set_new(event, "path", json_null());
		return;
	}
	size_t length = text_decode(path, strlen(path), text);

	json_object_set_new(event, "path", json_stringn(text, length));
	if (length != strlen(path) || memcmp(path, text, length) != 0)
		json_object_set_new(event, "pathHex", hex_of(path));
}

/* Tells of a violation; one that can't be told of is counted. */
void report_violation(const struct violation *violation)
{
	const struct sandbox *sandbox = violation->sandbox;
	enum list list = violation->rule == RULE_LIMIT ? LIST_LIMIT : violation->list;
	json_t *event = json_pack("{s:s, s:s, s:i, s:s, s:o, s:I, s:s, s:s}", "type", "exec_violation", "sandbox",
				  sandbox->kept->name, "pid", (int)violation->pid, "list", LISTS[list], "rule",
				  violation->rule >= 0 ? json_integer(violation->rule) : json_null(), "generation",
				  sandbox->policy.generation, "action", sandbox->policy.enforce ? "block" : "observe",
				  "access", violation->read ? "open" : "exec");

	add_path(must(event), violation->path);
	if (!client_send(event, true))
		sandbox->kept->lost++;
}
