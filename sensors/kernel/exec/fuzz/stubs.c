/* What needs the kernel is replaced: sandboxes are names with policies. */
#include "fuzz.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct hand *hand;
struct sandbox *sandboxes;

struct sandbox *sandbox_find(const char *name)
{
	struct sandbox *at = sandboxes;

	while (at && strcmp(at->kept->name, name) != 0)
		at = at->next;
	return at;
}

struct kept *kept_new(const char *name, pid_t pid)
{
	struct kept *kept = must(calloc(1, sizeof(*kept)));

	snprintf(kept->name, sizeof(kept->name), "%s", name);
	kept->pid = pid;
	kept->group = kept->guard = -1;
	return kept;
}

void kept_commit(struct kept *kept, const json_t *request, const struct policy *policy)
{
	kept->enforce = policy->enforce;
	free(json_dumps(request, JSON_COMPACT));
}

struct sandbox *sandbox_new(struct kept *kept)
{
	struct sandbox *sandbox = must(calloc(1, sizeof(*sandbox)));

	sandbox->kept = kept;
	sandbox->next = sandboxes;
	sandboxes = sandbox;
	return sandbox;
}

void policy_free(struct policy *policy)
{
	rules_free(&policy->deny);
	rules_free(&policy->allow);
}

bool sandbox_update(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer)
{
	(void)answer;
	if (policy->generation == 13)
		return fail(why, "KERNEL_MOUNT_FAILED", "/pid", "this one fails");
	if (plant && policy->generation > 20 && policy->generation < 1000000)
		abort();
	rules_contain(&policy->deny, &sandbox->policy.deny);
	rules_find(&policy->deny, "/usr/bin/curl", strlen("/usr/bin/curl"));
	rules_find(&policy->allow, "/a/\xef\xbf\xbd", strlen("/a/\xef\xbf\xbd"));
	policy_free(&sandbox->policy);
	sandbox->policy = *policy;
	return true;
}

bool sandbox_attach(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer)
{
	return sandbox_update(sandbox, policy, why, answer);
}

void report_restart(struct kept *kept)
{
	(void)kept;
}

void sandbox_shut(struct sandbox *sandbox)
{
	policy_free(&sandbox->policy);
	sandbox->policy = (struct policy){ 0 };
}

void sandbox_detach(struct sandbox *sandbox)
{
	struct sandbox **at = &sandboxes;

	while (*at != sandbox)
		at = &(*at)->next;
	*at = sandbox->next;
	policy_free(&sandbox->policy);
	if (sandbox->kept->group >= 0)
		close(sandbox->kept->group);
	if (sandbox->kept->guard >= 0)
		close(sandbox->kept->guard);
	free(sandbox->kept);
	free(sandbox);
}

void converse_end(void)
{
	while (sandboxes)
		sandbox_detach(sandboxes);
}

/* Machine code for each regex would take most of the time, and none of it is ours. */
int __wrap_pcre2_jit_compile_8(pcre2_code *code, uint32_t options);
int __wrap_pcre2_jit_compile_8(pcre2_code *code, uint32_t options)
{
	(void)code, (void)options;
	return 0;
}
