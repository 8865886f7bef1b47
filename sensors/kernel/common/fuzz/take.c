/* Instead of ../take.c: descriptors of other processes are those of an empty file. */
#include "common.h"

#include <errno.h>
#include <fcntl.h>

int take_descriptor(int pid, int fd, int lowest)
{
	(void)lowest;
	if (pid > 0 && fd >= 0 && pid != fd)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	errno = EBADF;
	return -1;
}

int take_group(int pid, int fd, int lowest)
{
	return take_descriptor(pid, fd, lowest);
}
