/* Nothing else needs the kernel than what common/fuzz/take.c replaces. */
#include "fuzz.h"
#include "hold.h"

#include <unistd.h>

void close_later(int fd)
{
	if (fd >= 0)
		close(fd);
}

void converse_end(void)
{
	while (all)
		held_release(all->name);
}
