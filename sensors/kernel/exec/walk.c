#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define SEEN_MAX 500000
/* Directories reached through links are walked under the link's name, for rules that name it. */
#define LINKS_MAX 2

/* True when a rule may match below the directory; `anywhere` counts rules without a literal begin. */
static bool wanted(const struct rules *rules, const char *directory, bool anywhere)
{
	for (size_t index = 0; index < rules->count; index++) {
		const char *prefix = rules->rule[index].prefix;

		if ((anywhere || strlen(prefix) > 1) && prefix_reaches(prefix, directory))
			return true;
	}
	return false;
}

static bool worthwhile(const struct walk *walk, const char *directory, bool anywhere)
{
	return wanted(&walk->policy->deny, directory, anywhere) || wanted(&walk->policy->allow, directory, anywhere);
}

/* Remembers the file behind a name that a rule matches. A regular file on an allow list is found by its path later. */
static void consider(struct walk *walk, const char *path, bool link)
{
	char text[TEXT_BYTES];
	size_t length = text_decode(path, strlen(path), text);
	int denied = rules_find(&walk->policy->deny, text, length);
	int allowed = link ? rules_find(&walk->policy->allow, text, length) : RULE_NONE;
	char own[PATH_BYTES];
	struct file file;

	if (denied == RULE_NONE && allowed < 0)
		return;
	int fd = open_inside(walk->root, path, O_PATH);

	if (fd < 0)
		return;
	bool named = file_path(fd, own);

	if (file_look(walk->sandbox, fd, named ? own : NULL, &file) && S_ISREG(file.mode) && (file.mode & 0111)) {
		/* Writing to the file makes a new one of it in the writable layer, with the same number. */
		if (file.id.dev == walk->sandbox->place.overlay)
			file.id.born = 0;
		identities_put(walk->files, &file.id, denied == RULE_NONE ? STANDING_ALLOWED : STANDING_DENIED,
			       denied == RULE_NONE ? allowed : denied, named && strcmp(own, path) != 0 ? path : NULL);
		if (denied != RULE_NONE && walk->policy->enforce)
			decide_guard(walk->guard, fd);
		if (denied != RULE_NONE && file.links > 1)
			identities_put(&walk->shared, &file.id, STANDING_DENIED, denied, NULL);
	}
	close(fd);
}

/* An overlay has an inode in memory for each name of an image's file: the other names need the guard as well. */
static void consider_name(struct walk *walk, const char *path)
{
	struct file file;
	int fd = open_inside(walk->root, path, O_PATH);

	if (fd >= 0 && file_look(walk->sandbox, fd, NULL, &file)) {
		file.id.born = 0;
		if (identities_find(&walk->shared, &file.id))
			decide_guard(walk->guard, fd);
	}
	if (fd >= 0)
		close(fd);
}

static void directory(struct walk *walk, char *path, int depth, int links, dev_t dev);

static void entry(struct walk *walk, char *path, unsigned char type, int depth, int links, dev_t dev)
{
	struct stat found;
	bool link = type == DT_LNK;

	if (walk->links_only) {
		if (type == DT_REG)
			consider_name(walk, path);
		else if (type == DT_DIR)
			directory(walk, path, depth + 1, links, dev);
		return;
	}
	if (type != DT_DIR)
		consider(walk, path, link);
	if (type == DT_DIR && worthwhile(walk, path, links == 0)) {
		directory(walk, path, depth + 1, links, dev);
	} else if (link && links < LINKS_MAX && worthwhile(walk, path, false)) {
		int fd = open_inside(walk->root, path, O_PATH | O_DIRECTORY);

		if (fd < 0)
			return;
		if (fstat(fd, &found) == 0)
			directory(walk, path, depth + 1, links + 1, found.st_dev);
		close(fd);
	}
}

/* `path` has room for PATH_BYTES and is "" for the root. */
static void directory(struct walk *walk, char *path, int depth, int links, dev_t dev)
{
	size_t length = strlen(path);
	int fd = open_inside(walk->root, length ? path : "/", O_RDONLY | O_DIRECTORY);
	DIR *open = fd < 0 ? NULL : fdopendir(fd);
	struct stat found;
	struct dirent *next;

	if (!open) {
		if (fd >= 0)
			close(fd);
		walk->complete = walk->complete && errno == ENOENT;
		return;
	}
	/* Another mount is walked for itself. */
	bool here = fstat(fd, &found) == 0 && found.st_dev == dev;

	while (here && (next = readdir(open))) {
		if (strcmp(next->d_name, ".") == 0 || strcmp(next->d_name, "..") == 0)
			continue;
		if (depth >= DEPTH_MAX || ++walk->seen > SEEN_MAX || length + 1 + strlen(next->d_name) >= PATH_BYTES) {
			walk->complete = false;
			break;
		}
		snprintf(path + length, PATH_BYTES - length, "/%s", next->d_name);
		entry(walk, path, next->d_type, depth, links, dev);
		path[length] = '\0';
	}
	closedir(open);
}

/* Walks one mount from its top. */
void walk_tree(struct walk *walk, const char *top)
{
	char path[PATH_BYTES];
	struct stat found;
	int fd = open_inside(walk->root, top, O_PATH);

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "%s", strcmp(top, "/") == 0 ? "" : top);
	if (fstat(fd, &found) < 0)
		walk->complete = false;
	else if (S_ISDIR(found.st_mode) && (walk->links_only || worthwhile(walk, path, true)))
		directory(walk, path, 0, 0, found.st_dev);
	else if (!S_ISDIR(found.st_mode))
		consider(walk, path, false);
	close(fd);
}
