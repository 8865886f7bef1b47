/*
 * ucp-kernel: decides which files the processes of a sandbox may execute. It asks the kernel (fanotify) to be asked,
 * and is told what to answer over a Unix socket. It reads names and inode numbers of the sandbox, never a file's
 * content.
 *
 * The protocol. Over a Unix stream socket (`--listen PATH` or `--connect PATH`): 4 bytes of length, big-endian, then as
 * many bytes of JSON, at most 4 MiB. One client at a time; a new one may come when the old one is gone. Requests carry
 * `id` (any value) and `type`, answers are {id, ok: true, …} or {id, ok: false, code, pointer, message}; other messages
 * are events and have no id. Unknown keys are refused.
 *
 *   hello {protocol: 1} → {protocol, sandboxes: [{sandbox, pid, generation}]}
 *       first; the sandboxes that are attached, whoever attached them
 *   attach {sandbox, pid, mode: enforce|observe, drift: allow|deny, deny: [regex], allow: [regex]|null, generation,
 *           held?: {pid, place, state, group, guard}}
 *       → {mounts, files, complete, held: {pid, place, state, group, guard}}
 *       `pid` is the first process of a PID namespace. The regexes are anchored, in the syntax of PCRE2; an `allow` of
 *       null is none, an empty one allows nothing. `files` are known by a rule already; `complete`: all were looked at
 *       The answer's `held` are descriptors of ours for ucp-hold to take; the request's are its own, of an ucp-kernel
 *       that died: what was asked of that one is answered, and its counts go on
 *   update {… without pid and held} → the same     the whole policy each time; refused, it changes nothing
 *   counters {sandbox} → {asked, foreign, denied, observed, lost, unopened}
 *       since the attach, whichever process counted. asked: by processes of the sandbox; foreign: by others, all
 *       allowed; denied, observed: violations; lost: those that no event tells of; unopened: denied by the kernel,
 *       which could not open the file for us
 *   detach {sandbox} → the same counters. What was to be told is told before the answer
 *
 *   event exec_violation {sandbox, generation, mode, action: block|observe, access: exec|open, list, rule, path,
 *                         pathHex?, named?, namedHex?, origin: image|volume|drift|null, count, pid, pidInside?, uid?,
 *                         comm?, parent?, parentComm?}
 *       list: deny, allow (it is not on it), drift, limit (of matching) or path (there is none). rule: index in `deny`,
 *       or null. path: the file's own, resolved, or null; named: another name, at which the rule matches (a symlink's).
 *       Paths that are no UTF-8 also come as hex. origin: of the image's layers, of a mount, or written since the start
 *       (writable layer, tmpfs); null: can't be told. pid, parent and uid are the host's, pidInside the sandbox's; they
 *       are missing for who was killed meanwhile. The path that was handed to execve is not among what the kernel
 * tells. The first of a kind (list, rule, access, path, generation) comes at once with count 1, those like it once a
 *       second with how many more there were and the first one's pid. Without a client they wait for one
 *
 *   event violations_lost {sandbox, count, reason: client|kinds|restart}
 *       what no exec_violation tells of: a connection ended before it was sent, there were too many kinds at a time, or
 *       the process that had counted it died (at most so many)
 *
 * Codes: KERNEL_REQUEST_INVALID, KERNEL_PROTOCOL_UNKNOWN, KERNEL_SANDBOX_UNKNOWN, KERNEL_SANDBOX_EXISTS,
 * KERNEL_PROCESS_UNKNOWN, KERNEL_NAMESPACE_SHARED, KERNEL_MOUNT_FAILED, KERNEL_FANOTIFY_UNAVAILABLE,
 * KERNEL_DRIFT_UNKNOWN, KERNEL_PATTERN_INVALID, KERNEL_LIST_TOO_LARGE, KERNEL_HELD_GONE.
 *
 * A decider that dies is replaced in some 50 ms and its connection ends. What is asked meanwhile waits; so does what it
 * had read, for the next one's answer. The queue of what is asked has no bound, so that it never overflows: a full one
 * would allow. Stopped by SIGTERM or SIGINT, everything is let go of.
 */
#ifndef UCP_KERNEL_H
#define UCP_KERNEL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "origin.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <sys/fanotify.h>
#include <sys/types.h>

#define RULES_MAX 10000
#define SOURCE_MAX_BYTES (64 * 1024)
#define NAME_MAX_BYTES 255
/* Every byte may become U+FFFD, which has three. */
#define TEXT_BYTES (3 * PATH_BYTES)

/* rules.c: a list of anchored regexes. `find` answers the first that matches, or one of these. */
#define RULE_NONE (-1)
#define RULE_LIMIT (-2) /* a match limit was hit: what it would have said isn't known */

struct rule {
	pcre2_code *code;
	char *prefix; /* directory that every match lies below, with its slash; "" when there is none */
	char *suffix; /* what every match ends with; NULL when neither is sure */
	unsigned int tries; /* matches that were tried since it was compiled */
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
#define BEGIN "^(?:" /* of every source of the policy */
bool is_one_group(const char *source);
bool has_alternatives(const char *source);
char *prefix_of(const char *source);
bool prefix_reaches(const char *prefix, const char *directory);

/* suffix.c */
char *suffix_of(const char *source);
bool suffix_fits(const char *suffix, const char *text, size_t length);

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
	char *name; /* the one that the rule matches, where that is not the file's own; or NULL */
};

struct identities {
	struct known *slot;
	size_t size;
	size_t used;
};

void identities_put(struct identities *set, const struct identity *id, enum standing standing, int rule,
		    const char *name);
const struct known *identities_find(const struct identities *set, const struct identity *id);
void identities_free(struct identities *set);

/* kept.c: what outlives a decider, in memory that the next one shares. */
enum outcome { OUTCOME_FOREIGN, OUTCOME_ALLOWED, OUTCOME_DENIED, OUTCOME_OBSERVED, OUTCOMES };
enum loss { LOSS_CLIENT, LOSS_KINDS, LOSS_RESTART, LOSSES };
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
	uint64_t told; /* violations that the client was told of */
	uint64_t lost[LOSSES]; /* and those that it never will be */
	uint64_t lost_told[LOSSES]; /* of them, how many it was told of as lost */
	uint64_t unopened; /* events that the kernel denied: it could not give us the file */
};

/* What the decider has read and not answered yet. The kernel writes it, so that none is missing whenever one dies.
 * Few at a time: each answer wakes all who wait in the same sandbox, and the other sandboxes wait for their turn. */
#define HAND_EVENTS 16

struct hand {
	struct kept *of;
	size_t place; /* its number, for who takes over after us */
	bool guarded; /* read from the guard */
	_Atomic size_t counted; /* number, from 1, of the event whose outcome this is */
	enum outcome outcome;
	uint64_t count; /* of this outcome, with the event */
	struct fanotify_event_metadata events[HAND_EVENTS];
};

struct policy;
extern struct hand *hand;
/* All of it, as a file. */
struct shared {
	size_t layout; /* of this struct: another version of us has another one */
	struct hand hand;
	struct kept kept[KEPT_MAX];
};

void kept_setup(void);
struct kept *kept_new(const char *name, pid_t pid);
size_t kept_place(const struct kept *kept);
json_t *kept_handles(const struct kept *kept);
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
	struct place place;
	struct policy policy;
	struct identities files;
	size_t mounts;
	struct kind *kinds; /* of violations, lately */
	size_t kinds_count;
	uint64_t in_flight; /* violations in messages that are not sent yet */
};

extern struct sandbox *sandboxes;
struct sandbox *sandbox_find(const char *name);
struct sandbox *sandbox_new(struct kept *kept);
bool sandbox_attach(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer);
void sandbox_shut(struct sandbox *sandbox);
bool sandbox_update(struct sandbox *sandbox, struct policy *policy, struct failure *why, json_t *answer);
void sandbox_detach(struct sandbox *sandbox);
void policy_free(struct policy *policy);

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
void asker_describe(pid_t pid, json_t *event);

/* file.c */
struct file {
	struct identity id;
	enum origin origin;
	bool drift; /* neither of the image's layers nor a program of ours */
	mode_t mode;
	uint32_t links;
};

bool file_look(const struct sandbox *sandbox, int fd, const char *path, struct file *file);
bool file_path(int fd, char *path);

/* limit.c */
void limit_setup(void);
bool limit_raise(void);

/* decide.c */
int decide_group(bool first);
void decide_guard(int guard, int fd);
void decide_execs(struct sandbox *sandbox);
void decide_opens(struct sandbox *sandbox);
void decide_hand(struct sandbox *sandbox);

/* event.c */
struct violation {
	struct sandbox *sandbox;
	const char *path; /* NULL: the kernel could not say it */
	const char *name; /* another one, that the rule matches; or NULL */
	pid_t pid;
	enum list list;
	int rule;
	enum origin origin;
	bool read;
};

json_t *event_of(const struct violation *violation);

/* report.c */
void report_violation(const struct violation *violation);
void report_end(struct sandbox *sandbox);
void report_restart(struct kept *kept);
void report_serve(void);
int report_wait_ms(void);

/* request.c */
void request_restore(struct sandbox *sandbox);

/* keeper.c */
void keeper_split(void);

extern pid_t keeper;

/* held.c */
bool held_take(struct kept *kept, json_t *held, struct failure *why);

/* match.c */
int match_pairs(void);

#endif
