/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/upload_fd.h"

#include "cli/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 };

/* A regular file is always ready; a pipe may have nothing for long. */
static ssize_t read_ready(int fd, const char *name, char *to, size_t len, struct problem *p)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .fd = interrupt_fd(), .events = POLLIN } };
	ssize_t got;

	do {
		if ((poll(fds, 2, -1) < 0 && errno != EINTR) || fds[1].revents || interrupt_seen())
			return problem_set(p, EXIT_INTERRUPTED, "interrupted");
		got = read(fd, to, len);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	return got < 0 ? problem_errno(p, errno, "cannot read '%s'", name) : got;
}

static ssize_t read_upload(struct upload *upload, char *to, size_t len, struct problem *p)
{
	struct upload_fd *u = OWNER(upload, struct upload_fd, upload);
	ssize_t got = read_ready(u->fd, u->name, to, len, p);

	if (got > 0)
		term_progress_add(&u->progress, (size_t)got);
	return got;
}

int upload_fd_init(struct upload_fd *u, int fd, const char *name, bool quiet, unsigned *ret_mode, struct problem *p)
{
	struct stat st;
	bool has_length;

	if (fstat(fd, &st) < 0)
		return problem_errno(p, errno, "cannot read '%s'", name);
	/* A size of 0 may be one of /proc, whose files have content all the same. */
	has_length = S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
	*u = (struct upload_fd){
		.upload = { .read = read_upload, .length = has_length ? st.st_size : -1 }, .fd = fd, .name = name
	};
	term_progress_start(&u->progress, name, has_length ? (uint64_t)st.st_size : 0, quiet);
	if (S_ISREG(st.st_mode))
		*ret_mode = st.st_mode & 0777;
	return 0;
}

int upload_fd_read_all(int fd, const char *name, struct buf *to, struct problem *p)
{
	ssize_t got = 1;

	while (got > 0) {
		char *at = buf_reserve(to, PIECE);

		if (!at)
			return problem_set(p, EXIT_OTHER, "'%s' is larger than %zu bytes", name, to->limit);
		got = read_ready(fd, name, at, PIECE, p);
		if (got > 0)
			buf_commit(to, (size_t)got);
	}
	return got < 0 ? -1 : 0;
}
