/* `mapper PATH FROM TO`: changes the first FROM in the file to TO, of the same length, by memory that is mapped. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	struct stat found;
	int fd = argc == 4 ? open(argv[1], O_RDWR) : -1;

	if (fd < 0 || fstat(fd, &found) < 0)
		return 2;
	char *bytes = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *at = bytes == MAP_FAILED ? NULL : memmem(bytes, (size_t)found.st_size, argv[2], strlen(argv[2]));

	if (!at)
		return 3;
	memcpy(at, argv[3], strlen(argv[3]));
	return munmap(bytes, (size_t)found.st_size) < 0 || close(fd) < 0;
}
