#include "kernel.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

/* True for what the control plane mounted itself: init, and the sensors' programs. */
static bool is_ours(int fd, const char *path)
{
	static const char place[] = "/.ucp/";

	return path && strncmp(path, place, sizeof(place) - 1) == 0 && file_is_fixed(fd);
}

/* `path` is the file's own (file_path), or NULL. */
bool file_look(const struct sandbox *sandbox, int fd, const char *path, struct file *file)
{
	struct statx found;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &found) < 0)
		return false;
	uint64_t dev = makedev(found.stx_dev_major, found.stx_dev_minor);
	enum origin origin = origin_of(&sandbox->place, fd, &found, path);
	bool image = origin == ORIGIN_IMAGE;
	int64_t born = (int64_t)found.stx_btime.tv_sec * 1000000000 + found.stx_btime.tv_nsec;

	*file = (struct file){
		.id = { .dev = dev, .ino = found.stx_ino, .born = image ? 0 : born },
		.origin = origin,
		.drift = !image && !is_ours(fd, path),
		.mode = found.stx_mode,
		.links = found.stx_nlink,
	};
	return true;
}
