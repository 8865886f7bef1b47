/* musl-resolve NAME: prints the addresses that musl's getaddrinfo finds; exits 1 with the reason when there are none. */
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	char text[64];
	int error;

	if (argc != 2)
		return 2;
	error = getaddrinfo(argv[1], NULL, &hints, &found);
	if (error) {
		fprintf(stderr, "%s\n", gai_strerror(error));
		return 1;
	}
	for (struct addrinfo *each = found; each; each = each->ai_next) {
		getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof(text), NULL, 0, NI_NUMERICHOST);
		puts(text);
	}
	return 0;
}
