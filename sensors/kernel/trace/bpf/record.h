/* What the kernel side tells the process that reads it; both include this. */
#ifndef UCP_RECORD_H
#define UCP_RECORD_H

#include <linux/types.h>

#define COMM_BYTES 16
/* Of each path, and of all arguments together; what is longer is cut and says so. */
#define PATH_ROOM 4096
#define FILE_ROOM 1024
#define ARGS_ROOM 4096

enum record_kind { RECORD_FORK = 1, RECORD_EXEC, RECORD_EXIT };

enum {
	CUT_PATH = 1, /* its first components are missing */
	CUT_CWD = 2,
	CUT_ARGS = 4,
	NO_ARGS = 8, /* they could not be read */
	DELETED = 16, /* the executable has no name any more, or never had one */
	NO_EXEC = 32, /* of an exit: it executed nothing since it was forked */
};

/* A process in numbers: of the host (as the reader's namespace has it), inside, and when it began (monotonic, ns). */
struct who {
	__u32 pid;
	__u32 inside;
	__u64 born;
};

struct record {
	__u32 kind;
	__u32 space; /* inode number of the sandbox's PID namespace */
	__u64 at; /* monotonic, ns */
	struct who self;
	struct who parent;
	__u32 by; /* of a fork: the thread that forked, as it is numbered inside */
	__u32 uid;
	__u32 status; /* of an exit: as wait(2) has it */
	__u32 flags;
	char comm[COMM_BYTES];
	/*
	 * Of an exec, how many bytes of each follow: the components of the executable's path and of the working directory,
	 * last one first, each ended by NUL; the name that was used; the arguments, each ended by NUL.
	 */
	__u16 path;
	__u16 cwd;
	__u16 file;
	__u16 args;
};

/* What is counted for each sandbox that is attached. */
struct space {
	__u64 lost; /* execs, and exits of those that executed or were killed, that nobody will hear of */
	__u64 lost_forks; /* without them ancestors are not known */
};

#endif
