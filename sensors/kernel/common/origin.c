#include "origin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* `root` is open at the root of the process. */
void place_open(struct place *place, pid_t pid, int root)
{
	struct statfs system;
	struct stat found;

	*place = NO_PLACE;
	place->upper = mounts_upper(pid);
	if (fstat(root, &found) < 0 || fstatfs(root, &system) < 0)
		return;
	place->root = found.st_dev;
	place->overlay = system.f_type == OVERLAYFS_SUPER_MAGIC ? found.st_dev : 0;
}

void place_close(struct place *place)
{
	if (place->upper >= 0)
		close(place->upper);
	*place = NO_PLACE;
}

/* True when the file is as the image has it: not in the writable layer, and not removed from the tree. */
static bool of_image(const struct place *place, const struct statx *found, uint64_t dev, const char *path)
{
	struct stat ignored;

	if (place->overlay == 0 || dev != place->overlay || place->upper < 0 || !path || found->stx_nlink == 0)
		return false;
	return fstatat(place->upper, path + 1, &ignored, AT_SYMLINK_NOFOLLOW) < 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

/* True when its mount takes no writes. */
bool file_is_fixed(int fd)
{
	struct statvfs system;

	return fstatvfs(fd, &system) == 0 && (system.f_flag & ST_RDONLY);
}

static bool in_memory(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

/* `path` is the file's own, as seen from the sandbox's root, or NULL. */
enum origin origin_of(const struct place *place, int fd, const struct statx *found, const char *path)
{
	uint64_t dev = makedev(found->stx_dev_major, found->stx_dev_minor);

	if (of_image(place, found, dev, path))
		return ORIGIN_IMAGE;
	/* Without its writable layer it can't be told what the image had. */
	if (dev == place->root)
		return place->upper < 0 ? ORIGIN_UNKNOWN : ORIGIN_DRIFT;
	return in_memory(fd) && !file_is_fixed(fd) ? ORIGIN_DRIFT : ORIGIN_VOLUME;
}

/* NULL: it can't be told. */
const char *origin_name(enum origin origin)
{
	static const char *const names[] = { NULL, "image", "volume", "drift" };

	return names[origin];
}
