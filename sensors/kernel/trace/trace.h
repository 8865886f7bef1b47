/*
 * ucp-trace: tells the control plane which programs the processes of sandboxes execute, and how they end.
 *
 * Requests (length-prefixed JSON, each answered): hello {protocol}; attach {sandbox, pid}; detach {sandbox};
 * lineage {sandbox, pid}: where that process comes from; counters {sandbox}.
 * Told without being asked: process_exec, process_exit, events_lost.
 */
#ifndef UCP_TRACE_H
#define UCP_TRACE_H

#include "origin.h"
#include "record.h"

#include <sys/types.h>

#define NAME_MAX_BYTES 128
#define LINEAGE_MAX 16

/* Why events of a sandbox are lost: nobody took them, the kernel had no room, the connector left some out. */
enum loss { LOSS_CLIENT, LOSS_KERNEL, LOSSES };

struct kind;

struct sandbox {
	char name[NAME_MAX_BYTES + 1];
	uint32_t space; /* inode number of its PID namespace */
	int pidns; /* holds it, so that the number stays its */
	int root; /* of its files, or -1 */
	struct place place;
	uint64_t execs;
	uint64_t exits;
	uint64_t told;
	uint64_t in_flight; /* taken over for sending, not sent yet */
	uint64_t lost[LOSSES];
	uint64_t lost_told[LOSSES];
	uint64_t lost_forks;
	struct kind *kinds;
	size_t kinds_count;
	struct sandbox *next;
};

/* sandbox.c */
extern struct sandbox *sandboxes;
struct sandbox *sandbox_named(const char *name);
struct sandbox *sandbox_of(uint32_t space);
struct sandbox *sandbox_attach(const char *name, pid_t pid, struct failure *why);
void sandbox_detach(struct sandbox *sandbox);
uint32_t space_of(pid_t pid);

/* observer.c: what tells us. */
struct observer {
	const char *name;
	/* False with a reason where it can't work here. */
	bool (*start)(char *why, size_t size);
	int (*descriptor)(void);
	/* Takes all that has happened. */
	void (*serve)(void);
	/* Looks at this sandbox from now on. */
	bool (*attach)(const struct sandbox *sandbox);
	void (*detach)(const struct sandbox *sandbox);
	/* Brings the losses that it knows of up to date. */
	void (*losses)(void);
};

extern const struct observer tracepoints; /* bpf.c */
extern const struct observer connector; /* connector.c */
extern const struct observer *observer;
extern uint64_t unheard; /* what was lost without a word of whose it was */
void observer_start(bool without_bpf);
const char *observer_why(void);

/* process.c: those of attached sandboxes that live, and the last that died. */
struct ancestor {
	struct who who;
	uint32_t by; /* the thread that forked it, as it is numbered inside; 0: not known */
	char comm[COMM_BYTES];
};

struct process {
	struct sandbox *sandbox;
	char *path; /* of the program it executes, if one was seen */
	bool dead;
	struct process *chained;
	struct process *later; /* among the dead */
	unsigned depth;
	struct ancestor lineage[]; /* itself first */
};

struct process *process_find(uint32_t pid);
struct process *process_begin(struct sandbox *sandbox, const struct record *record);
void process_end(struct process *process);
void processes_forget(const struct sandbox *sandbox);

/* tell.c */
struct details {
	const char *path;
	const char *cwd;
	const char *file;
	const char *args;
	size_t args_bytes;
};

void tell_fork(const struct record *record);
void tell_exec(const struct record *record, const struct details *details);
void tell_exit(const struct record *record);
json_t *lineage_of(const struct process *process);

/* kinds.c */
void kind_tell(struct sandbox *sandbox, json_t *event, const char *key, size_t length);
void kinds_start(void);
void kinds_end(struct sandbox *sandbox);
void kinds_serve(void);
int kinds_wait_ms(void);

/* path.c */
size_t path_of(const char *components, size_t length, char *path);
void put_text(json_t *event, const char *key, const char *bytes, size_t length);

#endif
