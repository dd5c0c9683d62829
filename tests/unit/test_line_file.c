/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that a thread writes: into files, into what takes none, and into pipes that nobody reads. */
#include "loop/line_file.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { LIMIT = 1 << 20, TEXT_SIZE = 1 << 17 };
#define LONG_NS (60 * NS_PER_S)

static char folder[] = "/tmp/abx-test-line-file-XXXXXX", path[64], other[64];
static char text[TEXT_SIZE];

static const char *content_of(const char *name)
{
	AUTOCLOSE int fd = open(name, O_RDONLY);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	assert_true(len >= 0);
	text[len] = '\0';
	return text;
}

static int opened(const char *name)
{
	int fd = line_file_open(name);

	assert_true(fd >= 0);
	return fd;
}

static void lines_are_written_in_order(void **state)
{
	struct line_file *f = line_file_new(opened(path), LIMIT);
	struct stat st;

	(void)state;
	line_file_put(f, STR("{\"a\":1"));
	line_file_put(f, STR("{\"a\":2"));
	line_file_free(f, LONG_NS);
	assert_string_equal(content_of(path), "{\"a\":1}\n{\"a\":2}\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void they_are_appended(void **state)
{
	struct line_file *f = line_file_new(opened(path), LIMIT);

	(void)state;
	line_file_put(f, STR("{\"a\":3"));
	line_file_free(f, LONG_NS);
	assert_string_equal(content_of(path), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
}

static void a_link_is_not_followed(void **state)
{
	(void)state;
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(line_file_open(other), -ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(line_file_open(folder), -EISDIR);
}

static void trying_says_what_opening_would_and_makes_nothing(void **state)
{
	struct stat st;
	char below[160];

	(void)state;
	assert_int_equal(line_file_try(path), 0);
	assert_int_equal(line_file_try(folder), -EISDIR);
	assert_int_equal(symlink(path, other), 0);
	assert_int_equal(line_file_try(other), -ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(line_file_try(other), 0);
	assert_int_equal(lstat(other, &st), -1);
	snprintf(below, sizeof below, "%s/none/", folder);
	assert_int_equal(line_file_try(below), -EISDIR);
	assert_int_equal(line_file_open(below), -EISDIR);
	snprintf(below, sizeof below, "%s/none/x", folder);
	assert_int_equal(line_file_try(below), -ENOENT);
	assert_int_equal(line_file_open(below), -ENOENT);
	snprintf(below, sizeof below, "%s/x", path);
	assert_int_equal(line_file_try(below), -ENOTDIR);
	assert_int_equal(line_file_open(below), -ENOTDIR);
}

/* Until as many lines as that were written or lost. */
static struct line_file_figures wait_for(struct line_file *f, uint64_t lines)
{
	int64_t until = clock_now_ns() + LONG_NS;
	struct line_file_figures figures;

	while (figures = line_file_figures(f), figures.written + figures.lost < lines) {
		assert_true(clock_now_ns() < until);
		poll(NULL, 0, 1);
	}
	return figures;
}

static void a_full_disk_is_counted_and_told(void **state)
{
	struct line_file *f = line_file_new(opened("/dev/full"), LIMIT);
	struct line_file_figures figures;

	(void)state;
	line_file_put(f, STR("{\"a\":1"));
	line_file_put(f, STR("{\"a\":2"));
	figures = wait_for(f, 2);
	assert_int_equal(figures.lost, 2);
	assert_int_equal(figures.number, ENOSPC);
	line_file_switch(f, opened(other));
	line_file_put(f, STR("{\"a\":3"));
	line_file_put(f, STR("{\"a\":4"));
	figures = wait_for(f, 4);
	assert_int_equal(figures.written, 2);
	assert_int_equal(figures.number, 0);
	line_file_free(f, LONG_NS);
	assert_string_equal(content_of(other), "{\"a\":3,\"lost\":2}\n{\"a\":4}\n");
	unlink(other);
}

static void more_than_the_queue_takes_is_lost(void **state)
{
	struct line_file *f = line_file_new(opened(other), 10);

	(void)state;
	line_file_put(f, STR("{\"a\":\"too long for the queue\""));
	assert_int_equal(line_file_figures(f).lost, 1);
	assert_int_equal(line_file_figures(f).number, ENOBUFS);
	line_file_put(f, STR("{\"a\":1"));
	line_file_free(f, LONG_NS);
	assert_string_equal(content_of(other), "{\"a\":1,\"lost\":1}\n");
	unlink(other);
}

static void a_pipe_that_nobody_reads_fills_up(void **state)
{
	static char line[LINE_FILE_LINE_MAX];
	struct line_file_figures figures;
	struct line_file *f;
	AUTOCLOSE int reader = -1;
	ssize_t len;

	(void)state;
	assert_int_equal(mkfifo(other, 0600), 0);
	f = line_file_new(opened(other), LIMIT);
	memset(line, 'x', sizeof line);
	for (int i = 0; i < 40; i++) /* a pipe holds 64 KiB */
		line_file_put(f, (struct str){ line, sizeof line });
	figures = wait_for(f, 40);
	assert_true(figures.lost > 0 && figures.written > 0);
	assert_int_equal(figures.number, EAGAIN);
	reader = open(other, O_RDONLY | O_NONBLOCK);
	while (read(reader, text, sizeof text) > 0)
		continue;
	line_file_put(f, STR("{\"a\":1"));
	wait_for(f, 41);
	len = read(reader, text, sizeof text - 1);
	assert_true(len > 0);
	text[len] = '\0';
	assert_string_equal(text, "{\"a\":1,\"lost\":24}\n");
	line_file_free(f, LONG_NS);
	unlink(other);
}

/* A file size limit cuts a line in two, as a full disk does. */
static void a_torn_line_spoils_no_other(void **state)
{
	struct rlimit old, small;
	struct line_file *f = line_file_new(opened(other), LIMIT);

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){ 12, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	line_file_put(f, STR("{\"a\":1"));
	line_file_put(f, STR("{\"a\":2"));
	wait_for(f, 2);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	line_file_put(f, STR("{\"a\":3"));
	line_file_free(f, LONG_NS);
	assert_string_equal(content_of(other), "{\"a\":1}\n{\"a\"\n{\"a\":3,\"lost\":1}\n");
	unlink(other);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/lines", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_written_in_order),
		cmocka_unit_test(they_are_appended),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(trying_says_what_opening_would_and_makes_nothing),
		cmocka_unit_test(a_full_disk_is_counted_and_told),
		cmocka_unit_test(more_than_the_queue_takes_is_lost),
		cmocka_unit_test(a_pipe_that_nobody_reads_fills_up),
		cmocka_unit_test(a_torn_line_spoils_no_other),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
