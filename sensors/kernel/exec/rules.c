#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sources take linear time; these end what doesn't. */
#define MATCH_LIMIT 1000000
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT_KIB (16 * 1024)
#define JIT_STACK_BYTES (1024 * 1024)

/*
 * Machine code takes several times the room of what it is made from, so only rules that are tried often get it, and not
 * too many: the others say the same, slower.
 */
#define JIT_TRIES 8
#define JIT_RULES 512

static unsigned int with_jit;
static pcre2_match_context *limits;
static pcre2_match_data *scratch;

static void prepare(void)
{
	if (limits)
		return;
	limits = must(pcre2_match_context_create(NULL));
	pcre2_set_match_limit(limits, MATCH_LIMIT);
	pcre2_set_depth_limit(limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
	pcre2_jit_stack_assign(limits, NULL, must(pcre2_jit_stack_create(32 * 1024, JIT_STACK_BYTES, NULL)));
	scratch = must(pcre2_match_data_create(1, NULL));
}

static bool compile(struct rule *rule, const json_t *source, const char *pointer, struct failure *why)
{
	int error;
	PCRE2_SIZE at;
	size_t length = json_string_length(source);

	if (!json_is_string(source))
		return fail(why, "KERNEL_REQUEST_INVALID", pointer, "expected a regex source as a string");
	if (length > SOURCE_MAX_BYTES)
		return fail(why, "KERNEL_LIST_TOO_LARGE", pointer, "the regex source has %zu bytes, the limit is %d",
			    length, SOURCE_MAX_BYTES);
	rule->code = pcre2_compile((PCRE2_SPTR)json_string_value(source), length,
				   PCRE2_UTF | PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C, &error, &at, NULL);
	if (!rule->code) {
		char text[128];

		pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof(text));
		return fail(why, "KERNEL_PATTERN_INVALID", pointer,
			    "the regex source can't be compiled: %s, at byte %zu", text, at);
	}
	rule->prefix = prefix_of(json_string_value(source));
	rule->suffix = suffix_of(json_string_value(source));
	return true;
}

/* JSON null is a list that isn't there. On failure what was made is for the caller to free. */
bool rules_compile(struct rules *rules, const json_t *sources, const char *pointer, struct failure *why)
{
	size_t index;
	const json_t *source;

	prepare();
	*rules = (struct rules){ .present = !json_is_null(sources) };
	if (!rules->present)
		return true;
	if (!json_is_array(sources))
		return fail(why, "KERNEL_REQUEST_INVALID", pointer, "expected a list of regex sources");
	if (json_array_size(sources) > RULES_MAX)
		return fail(why, "KERNEL_LIST_TOO_LARGE", pointer, "the list has %zu rules, the limit is %d",
			    json_array_size(sources), RULES_MAX);
	rules->sources = json_incref((json_t *)sources);
	rules->rule = must(calloc(json_array_size(sources) + 1, sizeof(*rules->rule)));
	json_array_foreach(sources, index, source)
	{
		char place[64];

		snprintf(place, sizeof(place), "%s/%zu", pointer, index);
		rules->count = index + 1;
		if (!compile(&rules->rule[index], source, place, why))
			return false;
	}
	return true;
}

static void speed_up(struct rule *rule)
{
	if (rule->tries > JIT_TRIES || ++rule->tries <= JIT_TRIES || with_jit == JIT_RULES)
		return;
	with_jit += pcre2_jit_compile(rule->code, PCRE2_JIT_COMPLETE) == 0;
}

static bool has_jit(const struct rule *rule)
{
	size_t size;

	return rule->code && pcre2_pattern_info(rule->code, PCRE2_INFO_JITSIZE, &size) == 0 && size > 0;
}

/* False when the text can't match, for what the rule's text begins or ends with. */
static bool may_match(const struct rule *rule, const char *text, size_t length)
{
	size_t begin = strlen(rule->prefix);

	return !rule->suffix ||
	       (begin <= length && memcmp(text, rule->prefix, begin) == 0 && suffix_fits(rule->suffix, text, length));
}

int rules_find(const struct rules *rules, const char *text, size_t length)
{
	for (size_t index = 0; index < rules->count; index++) {
		struct rule *rule = &rules->rule[index];

		if (!may_match(rule, text, length))
			continue;
		speed_up(rule);
		int found = pcre2_match(rule->code, (PCRE2_SPTR)text, length, 0, PCRE2_NO_UTF_CHECK, scratch, limits);

		if (found >= 0)
			return (int)index;
		if (found != PCRE2_ERROR_NOMATCH)
			return RULE_LIMIT;
	}
	return RULE_NONE;
}

/* True when all of the other list's rules are in this one. */
bool rules_contain(const struct rules *rules, const struct rules *others)
{
	json_t *set = must(json_object());
	bool all = true;
	size_t index;
	const json_t *source;

	json_array_foreach(rules->sources, index, source)
	    json_object_set_new(set, json_string_value(source), json_true());
	json_array_foreach(others->sources, index, source) all = all && json_object_get(set, json_string_value(source));
	json_decref(set);
	return all;
}

void rules_free(struct rules *rules)
{
	for (size_t index = 0; index < rules->count; index++) {
		with_jit -= has_jit(&rules->rule[index]);
		pcre2_code_free(rules->rule[index].code);
		free(rules->rule[index].prefix);
		free(rules->rule[index].suffix);
	}
	free(rules->rule);
	json_decref(rules->sources);
	*rules = (struct rules){ 0 };
}
