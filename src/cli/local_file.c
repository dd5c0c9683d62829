/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/local_file.h"

#include "cli/interrupt.h"

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

static int open_temporary(struct local_file *file, mode_t mode, struct problem *p)
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
	if (fchmod(file->fd, mode) < 0 && errno != EPERM && errno != EOPNOTSUPP)
		return problem_errno(p, errno, "cannot write '%s'", file->target);
	return 0;
}

int local_file_open(struct local_file *ret_file, const char *path, unsigned mode, struct problem *p)
{
	struct stat st;
	bool is_there = stat(path, &st) == 0;

	*ret_file = (struct local_file){ .fd = -1 };
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
		return open_temporary(ret_file, mode & 0777 & ~current_umask(), p);
	if (S_ISREG(st.st_mode))
		return open_temporary(ret_file, st.st_mode & 0777, p);
	ret_file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return ret_file->fd < 0 ? problem_errno(p, errno, "cannot write '%s'", path) : 0;
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
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	*file = (struct local_file){ .fd = -1 };
}
