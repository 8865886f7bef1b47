/*
 * The first process of the virtual machine of `npm run vm`: proves the privileged programs on its kernel and says
 * "VM PASS" or "VM FAIL" on the console. Static; beside it lie /helper/ucp-kernel, /helper/ucp-trace and BusyBox.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static bool failed;

static void check(bool fine, const char *what)
{
	printf("%s: %s\n", fine ? "ok" : "NOT OK", what);
	failed |= !fine;
}

static void sh(const char *script)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/busybox", "sh", "-c", script, NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static pid_t start(const char *program, const char *socket_path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, "--listen", socket_path, NULL);
		_exit(127);
	}
	for (int tries = 0; tries < 600 && access(socket_path, F_OK) < 0; tries++)
		usleep(100000);
	return pid;
}

static int reach(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = 60 };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int tries = 0; tries < 600; tries++) {
		if (connect(sock, (struct sockaddr *)&address, sizeof(address)) == 0)
			return sock;
		usleep(100000);
	}
	return -1;
}

/* The next message; "" when none comes. */
static const char *hear(int sock)
{
	static char text[1 << 16];
	uint32_t length;

	*text = '\0';
	if (recv(sock, &length, 4, MSG_WAITALL) != 4 || ntohl(length) >= sizeof(text))
		return text;
	if (recv(sock, text, ntohl(length), MSG_WAITALL) != (ssize_t)ntohl(length))
		return strcpy(text, "");
	text[ntohl(length)] = '\0';
	return text;
}

/* The first message that has the words; "" when there is none within some. */
static const char *hear_with(int sock, const char *words)
{
	for (int count = 0; count < 200; count++) {
		const char *text = hear(sock);

		if (*text == '\0' || strstr(text, words))
			return text;
	}
	return "";
}

static bool ask(int sock, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	uint32_t length = (uint32_t)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	uint32_t prefix = htonl(length);

	if (send(sock, &prefix, 4, MSG_NOSIGNAL) != 4 || send(sock, text, length, MSG_NOSIGNAL) != (ssize_t)length)
		return false;
	const char *answer = hear_with(sock, "\"id\"");
	bool fine = strstr(answer, "\"ok\":true") != NULL;

	printf("%s -> %s\n", text, answer);
	return fine;
}

/* As a container's first process: on an overlay of its own, until it is killed. */
static void be_first(int ready)
{
	unshare(CLONE_NEWNS | CLONE_NEWCGROUP);
	mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
	mount("overlay", "/box/root", "overlay", 0, "lowerdir=/box/lower,upperdir=/box/upper/up,workdir=/box/upper/work");
	/* The root of a kernel that has nothing but its first files can't be exchanged, only covered. */
	if (chdir("/box/root") < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		_exit(1);
	mkdir("proc", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Something like a container; the number of its first process. A process between keeps our own children out of it. */
static pid_t contain(void)
{
	int ready[2], number[2];
	char byte;
	pid_t first = -1;

	if (pipe(ready) < 0 || pipe(number) < 0)
		return -1;
	if (fork() == 0) {
		unshare(CLONE_NEWPID);
		first = fork();
		if (first == 0)
			be_first(ready[1]);
		if (write(number[1], &first, sizeof(first)) != sizeof(first))
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(number[0], &first, sizeof(first)) != sizeof(first) || read(ready[0], &byte, 1) != 1)
		return -1;
	return first;
}

/* Runs a program of the contained file system there; its exit code, or -errno of the exec. */
static int run_inside(pid_t box, const char *program)
{
	char path[64];
	int status, report[2], error = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -1000;
	pid_t pid = fork();

	if (pid == 0) {
		snprintf(path, sizeof(path), "/proc/%d/ns/pid", box);
		setns(open(path, O_RDONLY | O_CLOEXEC), CLONE_NEWPID);
		snprintf(path, sizeof(path), "/proc/%d/ns/mnt", box);
		setns(open(path, O_RDONLY | O_CLOEXEC), CLONE_NEWNS);
		pid_t inner = fork();

		if (inner == 0) {
			execl(program, program, "argument", NULL);
			error = errno;
			if (write(report[1], &error, sizeof(error)) < 0)
				_exit(126);
			_exit(127);
		}
		waitpid(inner, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	close(report[1]);
	bool refused = read(report[0], &error, sizeof(error)) == sizeof(error);

	close(report[0]);
	waitpid(pid, &status, 0);
	return refused ? -error : WEXITSTATUS(status);
}

static void prove_exec(pid_t box)
{
	start("/helper/ucp-kernel", "/run/kernel.sock");
	int sock = reach("/run/kernel.sock");

	check(run_inside(box, "/denied") == 0, "the program runs before it is denied");
	check(ask(sock, "{\"id\":1,\"type\":\"hello\",\"protocol\":1}"), "ucp-kernel speaks");
	check(ask(sock,
		  "{\"id\":2,\"type\":\"attach\",\"sandbox\":\"box\",\"pid\":%d,\"mode\":\"enforce\",\"drift\":\"allow\","
		  "\"deny\":[\"^/denied$\"],\"allow\":null,\"generation\":1}",
		  box),
	      "ucp-kernel attaches");
	int came = run_inside(box, "/denied");

	printf("came: %d\n", came);
	check(came == -EPERM, "the denied program is refused with EPERM");
	check(run_inside(box, "/allowed") == 0, "the allowed program runs");
	const char *event = hear_with(sock, "exec_violation");

	printf("%s\n", event);
	check(strstr(event, "\"path\":\"/denied\"") != NULL, "the violation is told");
	check(ask(sock, "{\"id\":3,\"type\":\"detach\",\"sandbox\":\"box\"}"), "ucp-kernel detaches");
	check(run_inside(box, "/denied") == 0, "the program runs again");
}

static void prove_trace(pid_t box)
{
	start("/helper/ucp-trace", "/run/trace.sock");
	int sock = reach("/run/trace.sock");

	check(ask(sock, "{\"id\":1,\"type\":\"hello\",\"protocol\":1}"), "ucp-trace speaks");
	check(ask(sock, "{\"id\":2,\"type\":\"attach\",\"sandbox\":\"box\",\"pid\":%d}", box), "ucp-trace attaches");
	check(run_inside(box, "/allowed") == 0, "the program runs while it is observed");
	const char *event = hear_with(sock, "\"process_exec\"");

	printf("%s\n", event);
	check(strstr(event, "\"path\":\"/allowed\"") && strstr(event, "\"args\":[\"/allowed\",\"argument\"]"),
	      "the exec is told with its arguments");
	check(strstr(event, "\"observedBy\":\"bpf\"") != NULL, "it is observed by BPF");
	check(strstr(hear_with(sock, "\"process_exit\""), "\"code\":0") != NULL, "the exit is told");
}

int main(void)
{
	struct utsname kernel;

	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir("/proc", 0755), mkdir("/sys", 0755), mkdir("/dev", 0755), mkdir("/run", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	mount("tmpfs", "/run", "tmpfs", 0, NULL);
	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	signal(SIGPIPE, SIG_IGN);
	uname(&kernel);
	printf("kernel %s\n", kernel.release);
	sh("/bin/busybox insmod /overlay.ko; echo LSM $(/bin/busybox cat /sys/kernel/security/lsm 2>/dev/null); "
	   "/bin/busybox mkdir -p /box/lower /box/upper /box/root; /bin/busybox mount -t tmpfs tmpfs /box/upper; "
	   "/bin/busybox mkdir -p /box/upper/up /box/upper/work; "
	   "/bin/busybox cp /witness /box/lower/denied; /bin/busybox cp /witness /box/lower/allowed");
	check(strncmp(kernel.release, "6.12.", 5) == 0, "the kernel is a 6.12");
	check(access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0, "there is cgroup v2 and no other");
	pid_t box = contain();

	check(box > 0, "there is something like a container");
	prove_exec(box);
	prove_trace(box);
	printf(failed ? "VM FAIL\n" : "VM PASS\n");
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
