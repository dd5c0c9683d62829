/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of starting programs share: a shell to be started, and both ways of starting it. */
#pragma once

#include "spawn/clone.h"
#include "spawn/spawn.h"

#include "base/buf.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/abx-test-spawn-XXXXXX";
static const char *const plain_env[] = { "PATH=/usr/bin:/bin", NULL };

static inline struct spawn shell(const char *const *argv)
{
	struct spawn what = SPAWN_INIT;

	what.argv = argv;
	what.env = plain_env;
	what.out = SPAWN_PIPE;
	what.err = SPAWN_SAME;
	return what;
}

static inline int finish(struct child *child)
{
	int status;

	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	child_close(child);
	return status;
}

static inline void read_all(int fd, struct buf *to)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	for (;;) {
		char *at = buf_reserve(to, 65536);
		ssize_t got;

		assert_int_equal(poll(&wait, 1, 60000), 1);
		got = read(fd, at, 65536);
		if (got <= 0)
			break;
		buf_commit(to, (size_t)got);
	}
	buf_addc(to, '\0');
}

/* Starts, reads all output, and returns the exit status. */
static inline int run(const struct spawn *what, struct buf *output)
{
	struct spawn_failure failure;
	struct child child;
	struct err err;

	if (spawn_start(what, &child, &failure, &err) < 0)
		fail_msg("%s", err.text);
	buf_init(output, 16 << 20);
	read_all(child.out, output);
	return finish(&child);
}

static inline void expect_output(const struct spawn *what, const char *expected)
{
	struct buf output CLEANUP(cleanup_buf);

	assert_int_equal(run(what, &output), 0);
	assert_string_equal(output.data, expected);
}

static inline void expect_shell(const char *script, const char *expected)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct spawn what = shell(argv);

	expect_output(&what, expected);
}

static inline unsigned open_count(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static char *make_file(const char *name, const char *text, mode_t mode)
{
	char *path;
	int fd;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

static inline int use_new(void **state)
{
	(void)state;
	clone_set_way(CLONE_WAY_UNKNOWN);
	return 0;
}

static inline int use_old(void **state)
{
	(void)state;
	clone_set_way(CLONE_WAY_OLD);
	return 0;
}

/* What the first start opens for good is open when descriptors are counted. */
static inline int start_once(void)
{
	const char *argv[] = { "/bin/true", NULL };
	struct spawn what = shell(argv);
	struct spawn_failure failure;
	struct child child;
	struct err err;

	return spawn_start(&what, &child, &failure, &err) == 0 ? finish(&child) : -1;
}

static inline int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chmod(folder, 0755) == 0 ? start_once() : -1;
}

static inline int remove_folder(void **state)
{
	static const char *const names[] = { "in", "extra", "plain", "no-format", "script", "tool", "broken", "echo" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

#define BOTH(test) \
	{ #test " (new)", test, use_new, NULL, NULL }, \
	{ \
#test " (old)", test, use_old, NULL, NULL \
	}
