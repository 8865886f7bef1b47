/*
 * Secrets come over the socket before `go`: as variables of the workload, or as files in memory that only its user
 * reads. Nothing of them is in arguments, in the container's configuration or on a disk.
 */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SECRET_MAX (64 * 1024)

/* One byte: the kernel writes no core file so small, and with 1 it starts no handler for one either. */
static void forbid_core(void)
{
	struct rlimit one = { .rlim_cur = 1, .rlim_max = 1 };

	if (setrlimit(RLIMIT_CORE, &one) < 0) {
		struct rlimit none = { .rlim_cur = 0, .rlim_max = 0 };

		if (setrlimit(RLIMIT_CORE, &none) < 0)
			refuse("can't forbid core files", strerror(errno));
	}
}

static int keep_variable(const char *name, const char *value, size_t size)
{
	if (memchr(value, '\0', size))
		return EINVAL;
	return setenv(name, value, 1) < 0 ? errno : 0;
}

static int keep_file(const char *path, const char *value, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	size_t done = 0;

	if (fd < 0)
		return errno;
	while (done < size) {
		ssize_t wrote = write(fd, value + done, size - done);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			break;
		done += (size_t)wrote;
	}
	close(fd);
	return done == size ? 0 : EIO;
}

/* `rest` is "NAME SIZE" or "PATH SIZE"; SIZE bytes follow on the socket. Returns errno. */
int secret_take(int sock, int endings, char *rest, bool file)
{
	char *space = strrchr(rest, ' ');
	char *end = NULL;
	unsigned long size = space ? strtoul(space + 1, &end, 10) : 0;

	if (!space || end == space + 1 || *end || size > SECRET_MAX)
		refuse("expected a secret from the control plane, got", rest);
	*space = '\0';
	char *value = malloc(size + 1);

	if (!value)
		refuse("no memory for a secret", NULL);
	protocol_read(sock, endings, value, size);
	value[size] = '\0';
	forbid_core();
	int error = file ? keep_file(rest, value, size) : keep_variable(rest, value, size);

	explicit_bzero(value, size);
	free(value);
	return error;
}
