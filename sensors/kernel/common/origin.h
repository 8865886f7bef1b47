/* Where the files of a sandbox are, and where they come from: for ucp-kernel and ucp-trace. */
#ifndef UCP_ORIGIN_H
#define UCP_ORIGIN_H

#include "common.h"

#include <sys/stat.h>
#include <sys/types.h>

#define PATH_BYTES 4096

/* mounts.c */
typedef bool mount_visitor(void *context, int fd, const char *path, const char *type, struct failure *why);
bool mounts_each(pid_t pid, int root, mount_visitor *visit, void *context, struct failure *why);
int mounts_upper(pid_t pid);
int open_inside(int root, const char *path, int flags);

/* origin.c: of the image's layers, of a mount, or written since the start. */
enum origin { ORIGIN_UNKNOWN, ORIGIN_IMAGE, ORIGIN_VOLUME, ORIGIN_DRIFT };

/* What is known of a sandbox's root file system. */
struct place {
	int upper; /* the overlay's writable layer, or -1 */
	uint64_t root; /* its device */
	uint64_t overlay; /* the same when that is an overlay, else 0 */
};

#define NO_PLACE ((struct place){ .upper = -1 })

void place_open(struct place *place, pid_t pid, int root);
void place_close(struct place *place);
enum origin origin_of(const struct place *place, int fd, const struct statx *found, const char *path);
const char *origin_name(enum origin origin);
bool file_is_fixed(int fd);

#endif
