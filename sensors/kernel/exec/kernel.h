/*
 * ucp-kernel: decides which files the processes of a sandbox may execute. It asks the kernel (fanotify) to be asked,
 * and is told what to answer over a Unix socket. It reads names and inode numbers of the sandbox, never a file's
 * content.
 */
#ifndef UCP_KERNEL_H
#define UCP_KERNEL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "common.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <sys/fanotify.h>
#include <sys/types.h>

#define RULES_MAX 10000
#define SOURCE_MAX_BYTES (64 * 1024)
#define NAME_MAX_BYTES 255
#define PATH_BYTES 4096
/* Every byte may become U+FFFD, which has three. */
#define TEXT_BYTES (3 * PATH_BYTES)

/* later.c */
void close_later(int fd);

/* rules.c: a list of anchored regexes. `find` answers the first that matches, or one of these. */
#define RULE_NONE (-1)
#define RULE_LIMIT (-2) /* a match limit was hit: what it would have said isn't known */

struct rule {
	pcre2_code *code;
	char *prefix; /* directory that every match lies below, with its slash; "" when there is none */
};

struct rules {
	bool present;
	json_t *sources; /* as they were sent */
	size_t count;
	struct rule *rule;
};

bool rules_compile(struct rules *rules, const json_t *sources, const char *pointer, struct failure *why);
int rules_find(const struct rules *rules, const char *text, size_t length);
bool rules_contain(const struct rules *rules, const struct rules *others);
void rules_free(struct rules *rules);

/* prefix.c */
char *prefix_of(const char *source);
bool prefix_reaches(const char *prefix, const char *directory);

/* identity.c: files by what they are, whatever their names. */
struct identity {
	uint64_t dev;
	uint64_t ino;
	int64_t born; /* ns; 0 for a file of the image, whose number is never given to another one */
};

enum standing { STANDING_UNKNOWN, STANDING_DENIED, STANDING_ALLOWED };

struct known {
	struct identity id;
	enum standing standing;
	int rule;
};

struct identities {
	struct known *slot;
	size_t size;
	size_t used;
};

void identities_put(struct identities *set, const struct identity *id, enum standing standing, int rule);
const struct known *identities_find(const struct identities *set, const struct identity *id);
void identities_free(struct identities *set);

/* kept.c: what outlives a decider, in memory that the next one shares. */
enum outcome { OUTCOME_FOREIGN, OUTCOME_ALLOWED, OUTCOME_DENIED, OUTCOME_OBSERVED, OUTCOMES };
#define KEPT_MAX 4096

enum state { KEPT_FREE, KEPT_BEGUN, KEPT_ATTACHED };

struct kept {
	_Atomic(enum state) state;
	char name[NAME_MAX_BYTES + 1];
	pid_t pid;
	int group; /* fanotify: exec marks and the ignore marks of allowed files */
	int guard; /* fanotify: marks on denied files, which nobody in the sandbox may open */
	int pidns; /* kept open, so that its inode number stays its own */
	_Atomic int request; /* the policy in force, as it was sent */
	_Atomic bool enforce;
	_Atomic bool stale; /* the guard may have marks that the policy in force does not ask for */
	_Atomic uint64_t outcomes[OUTCOMES]; /* of all that was asked */
	uint64_t lost; /* violations that no client could be told of */
};

/* What the decider has read and not answered yet. The kernel writes it, so that none is missing whenever one dies. */
#define HAND_EVENTS 64

struct hand {
	struct kept *of;
	bool guarded; /* read from the guard */
	_Atomic size_t counted; /* number, from 1, of the event whose outcome this is */
	enum outcome outcome;
	uint64_t count; /* of this outcome, with the event */
	struct fanotify_event_metadata events[HAND_EVENTS];
};

struct policy;
extern struct hand *hand;
void kept_setup(void);
struct kept *kept_new(const char *name, pid_t pid);
struct kept *kept_next(struct kept *after);
void kept_commit(struct kept *kept, const json_t *request, const struct policy *policy);
void kept_drop(struct kept *kept);
void kept_release(void);
void kept_sweep(void);

/* sandbox.c */
enum list { LIST_DENY, LIST_ALLOW, LIST_DRIFT, LIST_LIMIT, LIST_PATH };

struct policy {
	bool enforce;
	bool deny_drift;
	bool stale; /* the guard of the sandbox has marks of other policies */
	json_int_t generation;
	struct rules deny;
	struct rules allow;
};

struct sandbox {
	struct sandbox *next;
	struct kept *kept;
	int upper; /* the overlay's writable layer, or -1 */
	uint64_t overlay; /* device of the root when that is an overlay, else 0 */
	struct policy policy;
	struct identities files;
	size_t mounts;
};

extern struct sandbox *sandboxes;
struct sandbox *sandbox_find(const char *name);
struct sandbox *sandbox_new(struct kept *kept);
bool sandbox_attach(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer);
void sandbox_shut(struct sandbox *sandbox);
bool sandbox_update(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer);
void sandbox_detach(struct sandbox *sandbox);
void policy_free(struct policy *policy);

/* mounts.c */
typedef bool mount_visitor(void *context, int fd, const char *path, const char *type, struct failure *why);
bool mounts_each(pid_t pid, int root, mount_visitor *visit, void *context, struct failure *why);
int mounts_upper(pid_t pid);
int open_inside(int root, const char *path, int flags);

/* walk.c: files that are there already and that a rule names, also by a symlink. */
struct walk {
	int root;
	const struct policy *policy;
	struct identities *files;
	const struct sandbox *sandbox;
	int guard;
	bool links_only; /* second pass: other names of `shared` */
	struct identities shared;
	size_t seen;
	bool complete;
};

void walk_tree(struct walk *walk, const char *path);

/* asker.c */
int asker_namespace(pid_t pid);
bool asker_is_inside(pid_t pid, int pidns);

/* file.c */
struct file {
	struct identity id;
	bool drift;
	mode_t mode;
	uint32_t links;
};

bool file_look(const struct sandbox *sandbox, int fd, const char *path, struct file *file);
bool file_path(int fd, char *path);

/* decide.c */
int decide_group(void);
void decide_guard(int guard, int fd);
void decide_execs(struct sandbox *sandbox);
void decide_opens(struct sandbox *sandbox);
void decide_hand(struct sandbox *sandbox);

/* report.c */
struct violation {
	struct sandbox *sandbox;
	const char *path; /* NULL: the kernel could not say it */
	pid_t pid;
	enum list list;
	int rule;
	bool read;
};

void report_violation(const struct violation *violation);

/* request.c */
void request_restore(struct sandbox *sandbox);

/* keeper.c */
void keeper_split(void);

/* match.c */
int match_pairs(void);

#endif
