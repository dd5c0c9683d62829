/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/leftover.h"

#include "loop/job.h"
#include "ops/files/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 512, SLOT_SIZE = 4608, FOLDER_SIZE = PATH_MAX, FILE_NAME_SIZE = 32 };

static const char PREFIX[] = ".abx-upload-";

static struct {
	pthread_mutex_t lock;
	int fd; /* of the list; -1: there is none */
	char name[FILE_NAME_SIZE];
	bool used[SLOTS];
} list = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static struct job sweep_job;

static bool folder_path(char to[static FOLDER_SIZE])
{
	const char *top = getenv("TMPDIR");

	return (size_t)snprintf(to, FOLDER_SIZE, "%s/agent-sandbox-server-%u", top && top[0] == '/' ? top : "/tmp",
		       (unsigned)geteuid()) < FOLDER_SIZE;
}

/* The folder of the lists: ours alone, or none. */
static int open_folder(bool make)
{
	char path[FOLDER_SIZE];
	AUTOCLOSE int fd = -1;
	struct stat st;

	if (!folder_path(path))
		return -1;
	if (make)
		mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 077)
		return -1;
	return take_fd(&fd);
}

static int make_list(void)
{
	AUTOCLOSE int folder = open_folder(true), fd = -1;
	uint64_t number;

	if (folder < 0 || getrandom(&number, sizeof number, 0) != sizeof number)
		return -1;
	snprintf(list.name, sizeof list.name, "%016llx", (unsigned long long)number);
	fd = openat(folder, list.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* Whoever sweeps at this moment may have the lock: then there is no list this time. */
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -1;
	return take_fd(&fd);
}

/* Without links where /proc tells it; else this name is not noted. */
static bool make_path(int dir_fd, const char *name, char to[static SLOT_SIZE])
{
	char self[32];
	ssize_t len;

	snprintf(self, sizeof self, "/proc/self/fd/%d", dir_fd);
	len = readlink(self, to, PATH_MAX);
	if (len <= 0 || len >= PATH_MAX || to[0] != '/')
		return false;
	snprintf(to + len, SLOT_SIZE - (size_t)len, "/%s", name);
	return true;
}

static unsigned take_slot(void)
{
	for (unsigned i = 0; i < SLOTS; i++) {
		if (!list.used[i]) {
			list.used[i] = true;
			return i + 1;
		}
	}
	return 0;
}

struct leftover leftover_note(int dir_fd, const char *name)
{
	char path[SLOT_SIZE];
	struct leftover left = { 0 };

	if (list.fd < 0 || !make_path(dir_fd, name, path))
		return left;
	pthread_mutex_lock(&list.lock);
	left.slot = take_slot();
	pthread_mutex_unlock(&list.lock);
	if (left.slot)
		(void)!pwrite(list.fd, path, strlen(path) + 1, (off_t)(left.slot - 1) * SLOT_SIZE);
	return left;
}

void leftover_forget(struct leftover *left)
{
	if (!left->slot)
		return;
	(void)!pwrite(list.fd, "", 1, (off_t)(left->slot - 1) * SLOT_SIZE);
	pthread_mutex_lock(&list.lock);
	list.used[left->slot - 1] = false;
	pthread_mutex_unlock(&list.lock);
	left->slot = 0;
}

static bool is_temporary(const char *name)
{
	size_t len = sizeof PREFIX - 1;

	return strncmp(name, PREFIX, len) == 0 && strlen(name) == len + 16 &&
	       strspn(name + len, "0123456789abcdef") == 16;
}

static bool remove_one(char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	char *slash = strrchr(path, '/');
	AUTOCLOSE int fd = -1;
	struct err unused;

	if (!slash || !is_temporary(slash + 1))
		return false;
	*slash = '\0';
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path[0] ? path : "/", &how, sizeof how);
	if (fd < 0)
		return false;
	if (unlinkat(fd, slash + 1, 0) == 0)
		return true;
	return errno == EISDIR && tree_remove(NULL, fd, slash + 1, slash + 1, &unused) == 0;
}

static unsigned sweep_list(int folder, const char *name)
{
	AUTOCLOSE int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char path[SLOT_SIZE];
	unsigned count = 0;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		ssize_t len = pread(fd, path, sizeof path - 1, (off_t)i * SLOT_SIZE);

		if (len <= 0)
			break;
		path[len] = '\0';
		count += path[0] == '/' && remove_one(path);
	}
	unlinkat(folder, name, 0);
	return count;
}

unsigned leftover_sweep(void)
{
	int folder = open_folder(false);
	DIR *dir = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *entry;
	unsigned count = 0;

	if (!dir) {
		close_fd(folder);
		return 0;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			count += sweep_list(folder, entry->d_name);
	}
	closedir(dir);
	return count;
}

static void work(struct job *job)
{
	(void)job;
	leftover_sweep();
}

static void swept(struct job *job)
{
	(void)job;
}

void leftover_start(struct loop *loop)
{
	list.fd = make_list();
	sweep_job = (struct job){ .work = work, .done = swept, .lane = LANE_LONG };
	(void)!job_start(&sweep_job, loop); /* nothing else is there yet */
}

void leftover_stop(void)
{
	AUTOCLOSE int folder = list.fd < 0 ? -1 : open_folder(false);
	char path[FOLDER_SIZE];

	if (folder >= 0)
		unlinkat(folder, list.name, 0);
	close_fd(take_fd(&list.fd));
	if (folder >= 0 && folder_path(path))
		rmdir(path); /* unless others use it */
}
