/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool has_openat2 = true;

void beneath_use_openat2(bool use)
{
	atomic_store(&has_openat2, use);
}

int beneath_step(int dir_fd, const char *name)
{
	char target[1];
	int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), number = errno;

	if (fd >= 0)
		return fd;
	/* A link shows as ENOTDIR here, on some kernels as ELOOP. */
	if (number == ENOTDIR && readlinkat(dir_fd, name, target, sizeof target) >= 0)
		return -ELOOP;
	return -number;
}

static int walk(int dir_fd, const char *parts)
{
	AUTOCLOSE int at = -1;

	while (*parts) {
		char name[NAME_MAX + 1];
		size_t len = strcspn(parts, "/");
		int next;

		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(name, parts, len);
		name[len] = '\0';
		next = beneath_step(at >= 0 ? at : dir_fd, name);
		if (next < 0)
			return next;
		close_fd(at);
		at = next;
		parts += len + (parts[len] == '/');
	}
	return take_fd(&at);
}

int beneath_open(int dir_fd, const char *parts)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	if (!*parts) {
		fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
		return fd >= 0 ? (int)fd : -errno;
	}
	if (!atomic_load(&has_openat2))
		return walk(dir_fd, parts);
	fd = syscall(SYS_openat2, dir_fd, parts, &how, sizeof how);
	if (fd >= 0)
		return (int)fd;
	if (errno == ENOSYS || errno == EPERM) {
		/* EPERM is what a seccomp profile that is older than the call says. */
		atomic_store(&has_openat2, false);
		return walk(dir_fd, parts);
	}
	return errno == EXDEV || errno == EAGAIN ? -ELOOP : -errno;
}
