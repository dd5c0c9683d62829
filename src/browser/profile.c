/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 64,
	ROUNDS_MAX = 5,
	YOUNG_SECONDS = 60, /* one that is being made is not locked yet */
	PARENT_MAX = 44,    /* the browser makes a socket below, whose path the kernel takes 107 bytes of */
};

static const char NAME[] = "abx-browser-";

static void remove_below(int dir_fd, const char *name, unsigned depth);

/* fd becomes the list's. */
static void empty(int fd, unsigned depth)
{
	DIR *list = fdopendir(fd);
	struct dirent *entry;

	if (!list) {
		close_fd(fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_below(dirfd(list), entry->d_name, depth + 1);
	}
	closedir(list);
}

/* No link is followed: the folder belongs to a user that may be somebody else's. */
static void remove_below(int dir_fd, const char *name, unsigned depth)
{
	int fd;

	if (unlinkat(dir_fd, name, 0) == 0 || (errno != EISDIR && errno != EPERM) || depth > DEPTH_MAX)
		return;
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		empty(fd, depth);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}

static bool is_left_behind(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_mtime + YOUNG_SECONDS < time(NULL) && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(const char *parent)
{
	DIR *list = opendir(parent);
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		AUTOCLOSE int fd = -1;

		if (strncmp(entry->d_name, NAME, sizeof NAME - 1) != 0)
			continue;
		fd = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && is_left_behind(fd))
			remove_below(dirfd(list), entry->d_name, 0);
	}
	if (list)
		closedir(list);
}

static int make_in(struct profile_folder *p, const char *parent, uid_t uid, gid_t gid)
{
	int number = 0;

	if (!parent || *parent != '/')
		return -ENOENT;
	if (strlen(parent) > PARENT_MAX)
		return -ENAMETOOLONG;
	if (snprintf(p->path, sizeof p->path, "%s/%sXXXXXX", parent, NAME) >= (int)sizeof p->path)
		return -ENAMETOOLONG;
	if (!mkdtemp(p->path)) {
		number = -errno;
		p->path[0] = '\0';
		return number;
	}
	p->fd = open(p->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->fd < 0 || flock(p->fd, LOCK_EX | LOCK_NB) < 0 || (uid != (uid_t)-1 && fchown(p->fd, uid, gid) < 0)) {
		number = -errno;
		profile_remove(p);
		return number;
	}
	sweep(parent);
	return 0;
}

int profile_make(struct profile_folder *p, uid_t uid, gid_t gid, const char *last, struct err *err)
{
	const char *const parents[] = { getenv("TMPDIR"), "/tmp", "/var/tmp", last };
	int status = -ENOENT;

	*p = (struct profile_folder){ .fd = -1 };
	for (size_t i = 0; i < ARRAY_LEN(parents) && status < 0; i++)
		status = make_in(p, parents[i], uid, gid);
	return status < 0 ? err_system(err, -status, "cannot make a folder for the browser") : 0;
}

void profile_remove(struct profile_folder *p)
{
	/* What was written while it was emptied needs another round. */
	for (int round = 0; p->path[0] && round < ROUNDS_MAX && access(p->path, F_OK) == 0; round++)
		remove_below(AT_FDCWD, p->path, 0);
	close_fd(take_fd(&p->fd));
	p->path[0] = '\0';
}
