/* SPDX-License-Identifier: Apache-2.0 */
/* Lines into a pipe that is read late, taken back, or closed. */
#include "custom/outbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct loop *loop;
static struct outbox o;
static int theirs;
static bool broken;

static void on_broken(struct outbox *box)
{
	(void)box;
	broken = true;
	loop_stop(loop);
}

static int set_up(void **state)
{
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	loop = loop_new();
	theirs = ends[0];
	broken = false;
	outbox_init(&o, loop, ends[1], on_broken);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	outbox_close(&o);
	close_fd(take_fd(&theirs));
	loop_free(loop);
	return 0;
}

static void put(char c, size_t len, uint64_t mark)
{
	struct buf line;

	buf_init(&line, SIZE_MAX / 2);
	memset(buf_reserve(&line, len), c, len);
	buf_commit(&line, len);
	outbox_put(&o, &line, mark);
	assert_null(line.data);
}

static void stop(struct timer *t)
{
	(void)t;
	loop_stop(loop);
}

static void turn(void)
{
	struct timer t = { 0 };

	timer_start(&t, loop, 0, stop);
	loop_run(loop);
	timer_free(&t);
}

/* Reads until nothing comes; how many bytes were c. */
static size_t take(char c)
{
	static char bytes[1 << 16];
	size_t count = 0;
	ssize_t len;

	for (;;) {
		len = read(theirs, bytes, sizeof bytes);
		if (len <= 0)
			return count;
		for (ssize_t i = 0; i < len; i++)
			count += bytes[i] == c;
		turn();
	}
}

static void in_order(void **state)
{
	char got[4] = "";

	(void)state;
	put('a', 1, 1);
	put('b', 2, 2);
	turn();
	assert_int_equal(read(theirs, got, sizeof got), 3);
	assert_memory_equal(got, "abb", 3);
	assert_true(list_is_empty(&o.letters));
}

static void taken_back(void **state)
{
	(void)state;
	put('a', 1 << 20, 1);
	put('b', 10, 2);
	put('c', 10, 3);
	turn();
	assert_false(outbox_drop(&o, 1)); /* its beginning is in the pipe */
	assert_true(outbox_drop(&o, 2));
	assert_false(outbox_drop(&o, 2));
	assert_int_equal(take('a'), 1 << 20);
	put('d', 1, 4);
	turn();
	assert_int_equal(take('b'), 0);
	assert_true(list_is_empty(&o.letters));
}

static void nobody_reads(void **state)
{
	(void)state;
	close_fd(take_fd(&theirs));
	put('a', 10, 1);
	loop_run(loop);
	assert_true(broken && o.fd < 0 && list_is_empty(&o.letters));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(taken_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nobody_reads, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
