/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/yaml_file.h"

#include "policy/yaml_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_SIZE = 4096 };

void yaml_file_buf(struct buf *text)
{
	buf_init(text, YAML_TREE_BYTES + 2 * READ_SIZE);
}

int yaml_file_fail(struct err *err, int sys_errno, const char *what, const char *path)
{
	err_system(err, sys_errno, "the %s '%s' cannot be read", what, path);
	err->code = ERR_ARGS_INVALID; /* no op's file, but one that the server was told to read */
	return -1;
}

int yaml_file_read(const char *path, const char *what, struct buf *text, struct err *err)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return yaml_file_fail(err, errno, what, path);
	/* An empty pipe would read as an empty policy, which allows more than any that somebody has written. */
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_ARGS_INVALID, "the %s '%s' is not a regular file", what, path);
	for (;;) {
		char *to = buf_reserve(text, READ_SIZE);
		ssize_t got;

		if (!to)
			return err_set(err, ERR_ARGS_INVALID, "%s:1:1: larger than %d bytes", path, YAML_TREE_BYTES);
		got = read(fd, to, READ_SIZE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return yaml_file_fail(err, errno, what, path);
		if (got == 0)
			return 0;
		buf_commit(text, (size_t)got);
	}
}
