#include "kernel.h"

#include <pthread.h>
#include <unistd.h>

static void *close_now(void *fd)
{
	close((int)(intptr_t)fd);
	return NULL;
}

/*
 * Closes a group of fanotify without waiting. The kernel ends one only when no event waits that any of its marks took
 * part in, and that event may be another group's, for us to answer.
 */
void close_later(int fd)
{
	pthread_t closer;

	if (fd < 0)
		return;
	if (pthread_create(&closer, NULL, close_now, (void *)(intptr_t)fd) != 0)
		die("no thread can be started", NULL);
	pthread_detach(closer);
}
