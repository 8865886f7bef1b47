/*
 * `crowd COUNT PATH`: as many threads open the file at once. Says how many could, could not, and wait, as JSON; ends
 * then. To answer them all would take minutes: each answer wakes everyone who waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic int opened, refused, begun;

static void *attempt(void *path)
{
	begun++;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	fd >= 0 ? opened++ : errno == EPERM ? refused++ : exit(4);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int main(int argc, char *argv[])
{
	int count = argc == 3 ? atoi(argv[1]) : 0;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t small;

	if (!count || !threads || pthread_attr_init(&small) || pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN))
		return 2;
	for (int number = 0; number < count; number++) {
		if (pthread_create(&threads[number], &small, attempt, argv[2]) != 0)
			return 3;
	}
	while (begun < count)
		usleep(1000);
	usleep(500 * 1000);
	printf("{\"opened\":%d,\"refused\":%d,\"waiting\":%d}\n", opened, refused, count - opened - refused);
	fflush(stdout);
	_exit(0);
}
