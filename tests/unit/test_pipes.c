/* SPDX-License-Identifier: Apache-2.0 */
/* Output is read to its end by rule, input is fed as it is taken; here without any program. */
#include "spawn/pipes.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEADLINE_MS = 60000, TICK_MS = 50 };

static struct loop *loop;
static struct timer limit, step;
static struct pipes *pipes;
static int theirs[PIPES_COUNT], their_in; /* the child's ends */
static char got[PIPES_COUNT][1 << 20];
static size_t got_len[PIPES_COUNT];
static size_t room_left, most, sleeps_at;
static bool ended, held, fed, has_room, frees, late;
static unsigned ticks;
static int64_t ended_ns;

static size_t room(struct pipes *p)
{
	(void)p;
	return has_room ? most : room_left;
}

static void on_bytes(struct pipes *p, unsigned stream, struct str bytes)
{
	(void)p;
	assert_true(got_len[stream] + bytes.len <= sizeof got[stream]);
	memcpy(got[stream] + got_len[stream], bytes.p, bytes.len);
	got_len[stream] += bytes.len;
	if (got_len[stream] == sleeps_at)
		poll(NULL, 0, 400);
	room_left -= MIN(room_left, bytes.len);
}

static void on_end(struct pipes *p, bool was_held)
{
	assert_false(ended);
	ended = true;
	held = was_held;
	ended_ns = clock_now_ns();
	if (frees)
		free(p);
	loop_stop(loop);
}

static void on_fed(struct pipes *p)
{
	(void)p;
	fed = true;
}

static const struct pipes_events events = { .room = room, .on_bytes = on_bytes, .on_end = on_end, .on_fed = on_fed };

static void on_limit(struct timer *t)
{
	(void)t;
	loop_stop(loop);
}

/* Runs for a while, or until the end. */
static void run(int64_t ms)
{
	timer_start(&limit, loop, ms * NS_PER_MS, on_limit);
	loop_run(loop);
	timer_stop(&limit);
}

static void run_to_the_end(void)
{
	run(DEADLINE_MS);
	assert_true(ended && held);
}

/* Until so much was heard. */
static void run_until_heard(unsigned stream, size_t len)
{
	int64_t until = clock_now_ns() + DEADLINE_MS * NS_PER_MS;

	while (got_len[stream] < len && clock_now_ns() < until)
		run(5);
}

static void run_until_fed(void)
{
	int64_t until = clock_now_ns() + DEADLINE_MS * NS_PER_MS;

	while (!fed && clock_now_ns() < until)
		run(5);
	assert_true(fed);
}

static int begin(void **state)
{
	int in[2], out[2], err[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	loop = loop_new();
	assert_int_equal(pipe2(in, O_CLOEXEC | O_NONBLOCK) | pipe2(out, O_CLOEXEC | O_NONBLOCK) |
				 pipe2(err, O_CLOEXEC | O_NONBLOCK),
		0);
	theirs[PIPES_OUT] = out[1];
	theirs[PIPES_ERR] = err[1];
	their_in = in[0];
	memset(got_len, 0, sizeof got_len);
	ended = held = fed = frees = late = false;
	ticks = 0;
	has_room = true;
	most = SIZE_MAX;
	sleeps_at = 0;
	pipes = mem_new(struct pipes);
	pipes_start(pipes, loop, in[1], out[0], err[0], &events);
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (!frees) {
		pipes_stop(pipes);
		free(pipes);
	}
	timer_free(&limit);
	timer_free(&step);
	for (unsigned i = 0; i < PIPES_COUNT; i++) {
		if (theirs[i] >= 0)
			close_fd(take_fd(&theirs[i]));
	}
	if (their_in >= 0)
		close_fd(take_fd(&their_in));
	loop_free(loop);
	return 0;
}

static void say(unsigned stream, const char *text)
{
	assert_int_equal(write(theirs[stream], text, strlen(text)), (ssize_t)strlen(text));
}

static void heard(unsigned stream, const char *text)
{
	assert_int_equal(got_len[stream], strlen(text));
	assert_memory_equal(got[stream], text, got_len[stream]);
}

static void let_go(void)
{
	for (unsigned i = 0; i < PIPES_COUNT; i++)
		close_fd(take_fd(&theirs[i]));
}

static void the_end_is_that_of_both_and_of_the_child(void **state)
{
	(void)state;
	say(PIPES_OUT, "out");
	say(PIPES_ERR, "err");
	close_fd(take_fd(&theirs[PIPES_OUT]));
	run(30);
	assert_false(ended);
	close_fd(take_fd(&theirs[PIPES_ERR]));
	run(30);
	assert_false(ended); /* it may have closed them and live on */
	pipes_exited(pipes);
	assert_true(ended && !held);
	heard(PIPES_OUT, "out");
	heard(PIPES_ERR, "err");
}

static void what_is_there_at_the_exit_is_read_at_once(void **state)
{
	(void)state;
	say(PIPES_OUT, "all");
	let_go();
	pipes_exited(pipes);
	assert_true(ended && !held);
	heard(PIPES_OUT, "all");
	pipes_exited(pipes);
}

static void the_owner_may_be_freed_at_the_end(void **state)
{
	(void)state;
	frees = true;
	say(PIPES_ERR, "x");
	let_go();
	pipes_exited(pipes);
	assert_true(ended);
}

/* Counts how often the loop came round: a machine that stalls makes these fewer, and never more. */
static void count_tick(struct timer *t)
{
	ticks++;
	timer_start(t, loop, TICK_MS * NS_PER_MS, count_tick);
}

static void a_held_pipe_is_given_up_after_a_quarter_of_a_second_of_silence(void **state)
{
	int64_t before = clock_now_ns();

	(void)state;
	say(PIPES_OUT, "x");
	timer_start(&step, loop, 0, count_tick);
	pipes_exited(pipes);
	run_to_the_end();
	assert_true(ended_ns - before >= 250 * NS_PER_MS);
	assert_in_range(ticks, 0, 1500 / TICK_MS);
	heard(PIPES_OUT, "x");
	/* Whoever still holds it meets SIGPIPE. */
	assert_int_equal(write(theirs[PIPES_OUT], "x", 1), -1);
}

static void what_was_written_is_read_though_the_loop_stalls(void **state)
{
	(void)state;
	most = 1;
	sleeps_at = 8; /* the last one of a turn: with the next one the silence seems to be over its time */
	say(PIPES_OUT, "0123456789");
	pipes_exited(pipes);
	run(20000);
	assert_true(ended && held);
	heard(PIPES_OUT, "0123456789");
}

/* One that had no CPU for as long as a silence lasts has not gone on printing. */
static void print_again(struct timer *t)
{
	static int64_t last_ns;
	int64_t now = clock_now_ns();

	late |= ticks > 0 && now - last_ns > 200 * NS_PER_MS;
	last_ns = now;
	ticks++;
	if (write(theirs[PIPES_OUT], "y\n", 2) == 2)
		timer_start(t, loop, TICK_MS * NS_PER_MS, print_again);
}

static void one_that_goes_on_printing_is_given_up_after_two_seconds(void **state)
{
	int64_t before = clock_now_ns();

	(void)state;
	timer_start(&step, loop, 0, print_again);
	pipes_exited(pipes);
	run_to_the_end();
	assert_true(late || ended_ns - before >= 2000 * NS_PER_MS);
	assert_true(late || got_len[PIPES_OUT] > 10);
	assert_in_range(ticks, 1, 3500 / TICK_MS);
}

static void flood_again(struct timer *t)
{
	static char flood[65536];
	ssize_t len = write(theirs[PIPES_OUT], flood, sizeof flood);

	/* A slow owner: it has room for a little now and then. */
	room_left += 1000;
	pipes_resume(pipes);
	ticks++;
	if (len != -1 || !ended)
		timer_start(t, loop, 5 * NS_PER_MS, flood_again);
}

/* Pausing and resuming does not start the two seconds anew (B003). */
static void a_slow_owner_does_not_stretch_the_time(void **state)
{
	int64_t before = clock_now_ns();

	(void)state;
	has_room = false;
	room_left = 0;
	timer_start(&step, loop, 0, flood_again);
	pipes_exited(pipes);
	run_to_the_end();
	assert_true(ended_ns - before >= 2000 * NS_PER_MS);
	assert_in_range(ticks, 1, 4000 / 5);
}

/* What the child itself wrote is read to its end, however long the owner takes. */
static void what_the_child_wrote_is_owed(void **state)
{
	static char text[50001];

	(void)state;
	memset(text, 'z', sizeof text - 1);
	say(PIPES_OUT, text);
	has_room = false;
	room_left = 10;
	pipes_exited(pipes);
	run(2300);
	assert_false(ended);
	assert_int_equal(got_len[PIPES_OUT], 10);
	has_room = true;
	pipes_resume(pipes);
	run_to_the_end();
	heard(PIPES_OUT, text);
}

static void no_room_means_no_reading(void **state)
{
	(void)state;
	has_room = false;
	room_left = 3;
	say(PIPES_OUT, "abcdef");
	run_until_heard(PIPES_OUT, 3);
	run(30);
	assert_int_equal(got_len[PIPES_OUT], 3);
	room_left = 2;
	pipes_resume(pipes);
	run_until_heard(PIPES_OUT, 5);
	run(30);
	assert_int_equal(got_len[PIPES_OUT], 5);
	has_room = true;
	pipes_resume(pipes);
	pipes_resume(pipes);
	run_until_heard(PIPES_OUT, 6);
	heard(PIPES_OUT, "abcdef");
}

static void take_again(struct timer *t)
{
	static char taken[10000];
	ssize_t len = read(their_in, taken, sizeof taken);

	if (len > 0)
		got_len[PIPES_OUT] += (size_t)len;
	if (len != 0)
		timer_start(t, loop, NS_PER_MS, take_again);
	else
		loop_stop(loop);
}

static void input_is_fed_to_its_end_and_closed(void **state)
{
	static char text[300000];

	(void)state;
	pipes_feed(pipes, (struct str){ text, sizeof text });
	timer_start(&step, loop, 0, take_again);
	run(DEADLINE_MS);
	assert_int_equal(got_len[PIPES_OUT], sizeof text);
	assert_true(fed);
	got_len[PIPES_OUT] = 0;
}

static void empty_input_is_the_end_of_file(void **state)
{
	char byte;

	(void)state;
	pipes_feed(pipes, (struct str){ "", 0 });
	run_until_fed();
	assert_int_equal(read(their_in, &byte, 1), 0);
}

static void a_child_that_closes_its_input_is_no_error(void **state)
{
	static char text[300000];

	(void)state;
	pipes_feed(pipes, (struct str){ text, sizeof text });
	run(20);
	assert_false(fed);
	close_fd(take_fd(&their_in));
	run_until_fed();
	say(PIPES_OUT, "on");
	run_until_heard(PIPES_OUT, 2);
	heard(PIPES_OUT, "on");
}

static void input_is_dropped_at_the_exit(void **state)
{
	static char text[300000];

	(void)state;
	pipes_feed(pipes, (struct str){ text, sizeof text });
	let_go();
	pipes_exited(pipes);
	assert_true(ended && !held);
}

static void pipes_that_are_not_there(void **state)
{
	(void)state;
	pipes_stop(pipes);
	pipes_start(pipes, loop, -1, -1, -1, &events);
	pipes_feed(pipes, (struct str){ "x", 1 });
	pipes_pause(pipes);
	pipes_resume(pipes);
	run(20);
	assert_false(ended);
	pipes_exited(pipes);
	assert_true(ended && !held);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(the_end_is_that_of_both_and_of_the_child),
		CASE(what_is_there_at_the_exit_is_read_at_once),
		CASE(the_owner_may_be_freed_at_the_end),
		CASE(a_held_pipe_is_given_up_after_a_quarter_of_a_second_of_silence),
		CASE(what_was_written_is_read_though_the_loop_stalls),
		CASE(one_that_goes_on_printing_is_given_up_after_two_seconds),
		CASE(a_slow_owner_does_not_stretch_the_time),
		CASE(what_the_child_wrote_is_owed),
		CASE(no_room_means_no_reading),
		CASE(input_is_fed_to_its_end_and_closed),
		CASE(empty_input_is_the_end_of_file),
		CASE(a_child_that_closes_its_input_is_no_error),
		CASE(input_is_dropped_at_the_exit),
		CASE(pipes_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
