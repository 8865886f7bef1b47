#include "net.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 10000
/* Below the directory of this program: nft doesn't need anything of the system (scripts/copy-nft.ts). */
#define NFT "/usr/sbin/nft"
#define LIBRARIES "/lib"
#define LOADER "/lib/ld.so"
#define PATH_BYTES 4096

struct job {
	struct source end; /* of the process */
	struct sandbox *sandbox;
	json_t *request;
	unsigned client;
	int said;
	int64_t due;
	bool late;
};

static int text_file(const char *text)
{
	int fd = memfd_create("nft", MFD_CLOEXEC);
	size_t length = strlen(text);

	for (size_t at = 0; fd >= 0 && at < length;) {
		ssize_t written = write(fd, text + at, length - at);

		if (written < 0)
			die("rules can't be handed over", strerror(errno));
		at += (size_t)written;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* In the child: it gives up all but NET_ADMIN, which it has only over what the namespace allows. */
static void drop(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { .effective = 1u << CAP_NET_ADMIN,
						    .permitted = 1u << CAP_NET_ADMIN } };

	if (syscall(SYS_capset, &header, sets) < 0)
		_exit(1);
}

static _Noreturn void execute(const struct sandbox *sandbox, int rules, int said)
{
	char root[PATH_BYTES], loader[PATH_BYTES + 16], libraries[PATH_BYTES + 16], nft[PATH_BYTES + 16];
	ssize_t length = readlink("/proc/self/exe", root, sizeof(root) - 1);

	root[length < 0 ? 0 : length] = '\0';
	*(strrchr(root, '/') ? strrchr(root, '/') : root) = '\0';
	snprintf(loader, sizeof(loader), "%s" LOADER, root);
	snprintf(libraries, sizeof(libraries), "%s" LIBRARIES, root);
	snprintf(nft, sizeof(nft), "%s" NFT, root);
	if (dup2(rules, 0) < 0 || dup2(said, 1) < 0 || dup2(said, 2) < 0 || setns(sandbox->space.fd, CLONE_NEWNET) < 0)
		_exit(1);
	drop();
	execve(loader, (char *[]){ loader, "--library-path", libraries, nft, "-f", "-", NULL }, (char *[]){ NULL });
	dprintf(2, "%s: %s", loader, strerror(errno));
	_exit(1);
}

/* Why the rules were refused, in nft's words, as far as there is room. */
static void complain(const struct job *job, struct failure *why)
{
	char said[sizeof(why->message) / 3], text[sizeof(why->message)];
	ssize_t length = pread(job->said, said, sizeof(said), 0);
	size_t used = text_decode(said, length < 0 ? 0 : (size_t)length, text);

	while (used > 0 && text[used - 1] == '\n')
		used--;
	fail(why, "NET_RULES_REFUSED", "/rules", "%.*s", (int)used, used ? text : "nft failed");
}

static void job_ready(struct source *source, uint32_t events)
{
	struct job *job = CONTAINER(source, struct job, end);
	struct failure why = { 0 };
	siginfo_t end = { 0 };

	(void)events;
	if (waitid(P_PIDFD, (id_t)source->fd, &end, WEXITED) < 0)
		die("a child is lost", strerror(errno));
	if (job->late)
		fail(&why, "NET_RULES_TIMEOUT", "/rules", "nft did not end within %d s", PATIENCE_MS / 1000);
	else if (end.si_code != CLD_EXITED || end.si_status != 0)
		complain(job, &why);
	job->sandbox->job = NULL;
	loop_end(source);
	close(job->said);
	rules_done(job->sandbox, job->request, job->client, &why);
	json_decref(job->request);
	free(job);
}

/* Begins to put the rules in force, for a request that is answered when that is done. */
bool job_start(struct sandbox *sandbox, json_t *request, const char *rules, struct failure *why)
{
	int text = text_file(rules), said = memfd_create("said", MFD_CLOEXEC);
	pid_t child = text < 0 || said < 0 ? -1 : fork();
	int error = errno;

	if (child == 0)
		execute(sandbox, text, said);
	if (text >= 0)
		close(text);
	if (child < 0) {
		if (said >= 0)
			close(said);
		return fail(why, "NET_RULES_REFUSED", "", "nft can't be started: %s", strerror(error));
	}
	struct job *job = must(calloc(1, sizeof(*job)));

	*job = (struct job){ .end = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .ready = job_ready },
			     .sandbox = sandbox,
			     .request = json_incref(request),
			     .client = client_number(),
			     .said = said,
			     .due = now_ms() + PATIENCE_MS };
	if (job->end.fd < 0)
		die("a child can't be watched", strerror(errno));
	sandbox->job = job;
	loop_add(&job->end, EPOLLIN);
	return true;
}

/* What hangs is killed: a transaction that isn't committed yet changes nothing. */
void jobs_sweep(struct sandbox *sandbox, int64_t now)
{
	struct job *job = sandbox->job;

	if (job && job->due <= now && !job->late) {
		job->late = true;
		syscall(SYS_pidfd_send_signal, job->end.fd, SIGKILL, NULL, 0);
	}
}
