/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/local_file.h"

#include "cli/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned current_umask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

static char *neighbour(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name;

	if (asprintf(&name, "%.*s.abx-XXXXXX", slash ? (int)(slash - path) + 1 : 0, path) < 0)
		abort();
	return name;
}

static int open_temporary(struct local_file *file, struct problem *p)
{
	file->temporary = neighbour(file->target);
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd < 0) {
		int failed = errno;

		free(file->temporary);
		file->temporary = NULL;
		return problem_errno(p, failed, "cannot write '%s'", file->target);
	}
	/* A file system without permissions is no reason to fail. */
	if (fchmod(file->fd, file->mode) < 0 && errno != EPERM && errno != EOPNOTSUPP)
		return problem_errno(p, errno, "cannot write '%s'", file->target);
	return 0;
}

/* Which file it will be, and its mode.  What is no regular file is open then. */
static int find_target(struct local_file *ret_file, const char *path, unsigned mode, struct problem *p)
{
	struct stat st;
	bool is_there = stat(path, &st) == 0;

	*ret_file = (struct local_file){ .fd = -1, .mode = mode & 0777 & ~current_umask() };
	if (!is_there && errno != ENOENT)
		return problem_errno(p, errno, "cannot write '%s'", path);
	if (is_there && S_ISDIR(st.st_mode))
		return problem_set(p, EXIT_OTHER, "cannot write '%s': it is a folder", path);
	if (!is_there && lstat(path, &st) == 0)
		return problem_set(p, EXIT_OTHER, "cannot write '%s': it is a symbolic link to nothing", path);
	ret_file->target = is_there ? realpath(path, NULL) : mem_strdup(path);
	if (!ret_file->target)
		return problem_errno(p, errno, "cannot write '%s'", path);
	if (!is_there)
		return 0;
	ret_file->mode = st.st_mode & 0777;
	if (S_ISREG(st.st_mode))
		return 0;
	ret_file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return ret_file->fd < 0 ? problem_errno(p, errno, "cannot write '%s'", path) : 0;
}

int local_file_open(struct local_file *ret_file, const char *path, unsigned mode, struct problem *p)
{
	if (find_target(ret_file, path, mode, p) < 0)
		return -1;
	return ret_file->fd < 0 ? open_temporary(ret_file, p) : 0;
}

static bool is_tag(const char *text, size_t len)
{
	static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

	return len > 0 && len < LOCAL_TAG_SIZE && strspn(text, letters) >= len;
}

/* Whether it is NAME.TAG.part, and its tag. */
static bool is_part_of(const char *entry, const char *name, char ret_tag[static LOCAL_TAG_SIZE])
{
	size_t name_len = strlen(name), len = strlen(entry), end = sizeof ".part" - 1;

	if (len < name_len + 2 + end || strncmp(entry, name, name_len) != 0 || entry[name_len] != '.' ||
		strcmp(entry + len - end, ".part") != 0 || !is_tag(entry + name_len + 1, len - name_len - 1 - end))
		return false;
	snprintf(ret_tag, LOCAL_TAG_SIZE, "%.*s", (int)(len - name_len - 1 - end), entry + name_len + 1);
	return true;
}

static void cleanup_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static bool find_part(const char *target, char ret_tag[static LOCAL_TAG_SIZE])
{
	const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
	AUTOFREE char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : mem_strdup(".");
	CLEANUP(cleanup_dir) DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (is_part_of(entry->d_name, name, ret_tag))
			return true;
	}
	return false;
}

static int open_part(struct local_file *file, const char *tag, int flags, struct problem *p)
{
	if (asprintf(&file->temporary, "%s.%s.part", file->target, tag) < 0)
		abort();
	file->stays = true;
	file->fd = open(file->temporary, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, file->mode);
	if (file->fd < 0)
		return problem_errno(p, errno, "cannot write '%s'", file->temporary);
	return 0;
}

int local_file_open_part(struct local_file *ret_file, const char *path, unsigned mode,
	char ret_tag[static LOCAL_TAG_SIZE], struct problem *p)
{
	struct stat st;

	ret_tag[0] = '\0';
	if (find_target(ret_file, path, mode, p) < 0)
		return -1;
	if (ret_file->fd >= 0 || !find_part(ret_file->target, ret_tag))
		return 0;
	if (open_part(ret_file, ret_tag, 0, p) < 0)
		return -1;
	if (fstat(ret_file->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return problem_set(p, EXIT_OTHER, "cannot write '%s': it is no file", ret_file->temporary);
	return lseek(ret_file->fd, 0, SEEK_END) < 0 ? problem_errno(p, errno, "cannot seek") : 0;
}

int local_file_begin_part(struct local_file *file, const char *tag, struct problem *p)
{
	if (file->fd >= 0 && !file->temporary)
		return 0; /* no regular file */
	close_fd(take_fd(&file->fd));
	if (file->temporary)
		unlink(file->temporary); /* of another state of the source */
	free(take_ptr(file->temporary));
	file->stays = false;
	return is_tag(tag, strlen(tag)) ? open_part(file, tag, O_CREAT | O_TRUNC, p) : open_temporary(file, p);
}

int local_file_write(struct local_file *file, struct str bytes, struct problem *p)
{
	while (bytes.len) {
		ssize_t put = write(file->fd, bytes.p, bytes.len);

		if (put < 0 && errno == EINTR && !interrupt_seen())
			continue;
		if (put < 0)
			return problem_errno(p, errno, "cannot write '%s'", file->target);
		bytes.p += put;
		bytes.len -= (size_t)put;
	}
	return 0;
}

int local_file_commit(struct local_file *file, struct problem *p)
{
	/* Some file systems report a full disk only here. */
	if (close(take_fd(&file->fd)) < 0)
		return problem_errno(p, errno, "cannot write '%s'", file->target);
	if (file->temporary && rename(file->temporary, file->target) < 0)
		return problem_errno(p, errno, "cannot write '%s'", file->target);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void local_file_abandon(struct local_file *file)
{
	close_fd(file->fd);
	if (file->temporary && !file->stays)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	*file = (struct local_file){ .fd = -1 };
}
