/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#endif

/* Newer than the headers of the systems that we build on; the numbers are the kernel's ABI. */
enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,

	NET_BIND_TCP = 1 << 0,
	NET_CONNECT_TCP = 1 << 1,

	SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0,
	SCOPE_SIGNAL = 1 << 1,

	CREATE_VERSION = 1 << 0,
	RULE_PATH_BENEATH = 1,

	/* What makes sense for a file; the rest is for folders only. */
	FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
};

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_beneath_attr {
	uint64_t access;
	int32_t parent_fd;
} __attribute__((packed));

int landlock_abi(void)
{
	static int abi = -1;

	if (abi < 0)
		abi = MAX((int)syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION), 0);
	return abi;
}

static uint64_t known_fs_rights(void)
{
	uint64_t rights = FS_REFER - 1;

	if (landlock_abi() >= 2)
		rights |= FS_REFER;
	if (landlock_abi() >= LANDLOCK_ABI_TRUNCATE)
		rights |= FS_TRUNCATE;
	if (landlock_abi() >= 5)
		rights |= FS_IOCTL_DEV;
	return rights;
}

int landlock_new(bool deny_tcp)
{
	struct ruleset_attr attr = { .fs = known_fs_rights() };
	size_t size = sizeof attr.fs;
	int fd;

	if (landlock_abi() == 0)
		return -ENOSYS;
	if (landlock_abi() >= LANDLOCK_ABI_TCP) {
		attr.net = deny_tcp ? NET_BIND_TCP | NET_CONNECT_TCP : 0;
		size = offsetof(struct ruleset_attr, scoped);
	}
	if (landlock_abi() >= LANDLOCK_ABI_SCOPES) {
		attr.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
		size = sizeof attr;
	}
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0); /* close-on-exec by itself */
	return fd < 0 ? -errno : fd;
}

static uint64_t rights_of(unsigned access)
{
	uint64_t rights = 0;

	if (access & LANDLOCK_MAY_READ)
		rights |= FS_READ_FILE | FS_READ_DIR;
	if (access & LANDLOCK_MAY_EXECUTE)
		rights |= FS_EXECUTE;
	if (access & LANDLOCK_MAY_WRITE)
		rights |= FS_WRITE_FILE | FS_TRUNCATE | FS_REFER | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR |
			  FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM;
	if (access & LANDLOCK_MAY_DEVICE)
		rights |= FS_READ_FILE | FS_WRITE_FILE | FS_IOCTL_DEV;
	return rights & known_fs_rights();
}

int landlock_allow(int ruleset_fd, int path_fd, unsigned access)
{
	struct path_beneath_attr attr = { .access = rights_of(access), .parent_fd = path_fd };
	struct stat st;

	if (fstat(path_fd, &st) < 0)
		return -errno;
	if (!S_ISDIR(st.st_mode))
		attr.access &= FS_OF_FILES;
	return syscall(SYS_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &attr, 0) < 0 ? -errno : 0;
}
