#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The path as seen from the container's root; false when it has no name of less than PATH_BYTES. */
bool file_path(int fd, char *path)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, PATH_BYTES);

	if (length <= 0 || length == PATH_BYTES || path[0] != '/')
		return false;
	path[length] = '\0';
	return true;
}

/* True when the file is as the image has it: not in the writable layer, and not removed from the tree. */
static bool of_image(const struct sandbox *sandbox, const struct statx *found, uint64_t dev, const char *path)
{
	struct stat ignored;

	if (sandbox->overlay == 0 || dev != sandbox->overlay || sandbox->upper < 0 || !path || found->stx_nlink == 0)
		return false;
	return fstatat(sandbox->upper, path + 1, &ignored, AT_SYMLINK_NOFOLLOW) < 0 &&
	       (errno == ENOENT || errno == ENOTDIR);
}

/* True when its mount takes no writes. */
bool file_is_fixed(int fd)
{
	struct statvfs system;

	return fstatvfs(fd, &system) == 0 && (system.f_flag & ST_RDONLY);
}

/* True for what the control plane mounted itself: init, and the sensors' programs. */
static bool is_ours(int fd, const char *path)
{
	static const char place[] = "/.ucp/";

	return path && strncmp(path, place, sizeof(place) - 1) == 0 && file_is_fixed(fd);
}

static bool in_memory(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

static enum origin origin_of(const struct sandbox *sandbox, int fd, uint64_t dev, bool image)
{
	if (image)
		return ORIGIN_IMAGE;
	/* Without its writable layer it can't be told what the image had. */
	if (dev == sandbox->root)
		return sandbox->upper < 0 ? ORIGIN_UNKNOWN : ORIGIN_DRIFT;
	return in_memory(fd) && !file_is_fixed(fd) ? ORIGIN_DRIFT : ORIGIN_VOLUME;
}

/* `path` is the file's own (file_path), or NULL. */
bool file_look(const struct sandbox *sandbox, int fd, const char *path, struct file *file)
{
	struct statx found;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &found) < 0)
		return false;
	uint64_t dev = makedev(found.stx_dev_major, found.stx_dev_minor);
	bool image = of_image(sandbox, &found, dev, path);
	int64_t born = (int64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;

	*file = (struct file){
		.id = { .dev = dev, .ino = found.stx_ino, .born = image ? 0 : born },
		.origin = origin_of(sandbox, fd, dev, image),
		.drift = !image && !is_ours(fd, path),
		.mode = found.stx_mode,
		.links = found.stx_nlink,
	};
	return true;
}
