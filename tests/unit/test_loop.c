/* SPDX-License-Identifier: Apache-2.0 */
/* Watches, timers, turns and signals: when they come, and that they may be stopped and freed at any time. */
#include "loop/loop.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct loop *loop;
static struct timer limit;
static bool is_late;

static void on_limit(struct timer *t)
{
	(void)t;
	is_late = true;
	loop_stop(loop);
}

/* Runs until somebody stops the loop; a minute is a failure. */
static void run(void)
{
	is_late = false;
	timer_start(&limit, loop, 60 * NS_PER_S, on_limit);
	loop_run(loop);
	timer_stop(&limit);
	assert_false(is_late);
}

static int begin(void **state)
{
	(void)state;
	loop = loop_new();
	limit = (struct timer){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	timer_free(&limit);
	loop_free(loop);
	return 0;
}

/* --- timers --- */

static struct timer timers[8];
static unsigned fired[8], fired_count;
static int64_t fired_ns;

static void on_timer(struct timer *t)
{
	fired[fired_count++ & 7] = (unsigned)(t - timers);
	fired_ns = clock_now_ns();
	if (t == &timers[0])
		loop_stop(loop);
}

static void stop_timers(void)
{
	for (unsigned i = 0; i < ARRAY_LEN(timers); i++)
		timer_free(&timers[i]);
	fired_count = 0;
}

static void timers_come_in_order_and_never_early(void **state)
{
	int64_t before = clock_now_ns();

	(void)state;
	timer_start(&timers[0], loop, 30 * NS_PER_MS, on_timer);
	timer_start(&timers[1], loop, 20 * NS_PER_MS, on_timer);
	timer_start(&timers[2], loop, 10 * NS_PER_MS + 1, on_timer);
	timer_start(&timers[3], loop, 0, on_timer);
	timer_start(&timers[4], loop, -5, on_timer);
	timer_start(&timers[5], loop, 15 * NS_PER_MS, on_timer);
	timer_stop(&timers[5]);
	assert_true(timer_running(&timers[0]));
	assert_false(timer_running(&timers[5]) || timer_running(&timers[6]));
	run();
	assert_int_equal(fired_count, 5);
	assert_int_equal(fired[2], 2);
	assert_int_equal(fired[3], 1);
	assert_true(fired_ns - before >= 30 * NS_PER_MS);
	assert_false(timer_running(&timers[0]));
	stop_timers();
}

static void a_timer_starts_anew(void **state)
{
	(void)state;
	timer_start(&timers[0], loop, NS_PER_S * 3600, on_timer);
	timer_start(&timers[0], loop, NS_PER_MS, on_timer);
	run();
	assert_int_equal(fired_count, 1);
	stop_timers();
}

static struct holder {
	struct timer timer;
	struct watch watch;
	struct turn turn;
	struct signal_watch signal;
} * holder;

static void free_holder(struct timer *t)
{
	assert_ptr_equal(OWNER(t, struct holder, timer), holder);
	timer_free(t);
	free(holder);
	loop_stop(loop);
}

static void a_timer_may_be_freed_with_its_object_in_its_callback(void **state)
{
	(void)state;
	holder = mem_new(struct holder);
	timer_start(&holder->timer, loop, 0, free_holder);
	run();
}

/* Two that always start themselves again, with callbacks longer than their time: the pipe is seen all the same. */
static int ends[2];
static struct watch seen;
static unsigned rounds;

static void on_seen(struct watch *w, unsigned events)
{
	assert_true(events & WATCH_READ);
	watch_stop(w);
	loop_stop(loop);
}

static void again(struct timer *t)
{
	int64_t until = clock_now_ns() + 3 * NS_PER_MS;

	while (clock_now_ns() < until)
		;
	if (++rounds == 3)
		assert_int_equal(write(ends[1], "x", 1), 1);
	timer_start(t, loop, 0, again);
}

static void timers_do_not_keep_descriptors_from_being_looked_at(void **state)
{
	(void)state;
	rounds = 0;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(watch_start(&seen, loop, ends[0], WATCH_READ, on_seen), 0);
	timer_start(&timers[0], loop, 0, again);
	timer_start(&timers[1], loop, 0, again);
	run();
	assert_in_range(rounds, 3, 20);
	stop_timers();
	close(ends[0]);
	close(ends[1]);
}

/* --- turns --- */

static struct turn turn;

static void next_turn(struct turn *t)
{
	if (++rounds == 3)
		assert_int_equal(write(ends[1], "x", 1), 1);
	turn_start(t, loop, next_turn);
}

static void a_turn_comes_once_in_each_turn(void **state)
{
	(void)state;
	rounds = 0;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(watch_start(&seen, loop, ends[0], WATCH_READ, on_seen), 0);
	turn_start(&turn, loop, next_turn);
	turn_start(&turn, loop, next_turn);
	run();
	assert_in_range(rounds, 3, 5);
	turn_free(&turn);
	turn_free(&turn);
	close(ends[0]);
	close(ends[1]);
}

static void free_in_turn(struct turn *t)
{
	assert_ptr_equal(OWNER(t, struct holder, turn), holder);
	turn_free(t);
	free(holder);
	loop_stop(loop);
}

static void a_turn_may_be_freed_in_its_callback(void **state)
{
	(void)state;
	holder = mem_new(struct holder);
	turn_start(&holder->turn, loop, free_in_turn);
	run();
}

/* --- watches --- */

static unsigned told, told_count;

static void on_watch(struct watch *w, unsigned events)
{
	(void)w;
	told |= events;
	told_count++;
	loop_stop(loop);
}

static void a_watch_tells_what_it_was_asked_for(void **state)
{
	struct watch w = { 0 };
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	told = told_count = 0;
	assert_int_equal(watch_start(&w, loop, pair[0], WATCH_WRITE, on_watch), 0);
	run();
	assert_int_equal(told, WATCH_WRITE);
	watch_change(&w, 0);
	assert_int_equal(write(pair[1], "x", 1), 1);
	timer_start(&timers[0], loop, 20 * NS_PER_MS, on_timer);
	run();
	assert_int_equal(told_count, 1);
	watch_change(&w, WATCH_READ);
	told = 0;
	run();
	assert_int_equal(told, WATCH_READ);
	watch_change(&w, WATCH_HANGUP);
	told = 0;
	shutdown(pair[1], SHUT_WR);
	run();
	assert_true(told & WATCH_HANGUP);
	assert_false(told & WATCH_READ);
	watch_stop(&w);
	watch_stop(&w);
	watch_change(&w, WATCH_READ);
	close(pair[0]);
	close(pair[1]);
	stop_timers();
}

static void a_broken_pipe_is_an_error_and_pauses(void **state)
{
	struct watch w = { 0 };

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	close(ends[0]);
	told = told_count = 0;
	assert_int_equal(watch_start(&w, loop, ends[1], WATCH_WRITE, on_watch), 0);
	run();
	assert_true(told & WATCH_ERROR);
	timer_start(&timers[0], loop, 20 * NS_PER_MS, on_timer);
	run();
	assert_int_equal(told_count, 1);
	watch_stop(&w);
	close(ends[1]);
	stop_timers();
}

static void free_in_watch(struct watch *w, unsigned events)
{
	(void)events;
	assert_ptr_equal(OWNER(w, struct holder, watch), holder);
	watch_stop(w);
	free(holder);
	loop_stop(loop);
}

static void a_watch_may_be_freed_in_its_callback(void **state)
{
	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	holder = mem_new(struct holder);
	assert_int_equal(watch_start(&holder->watch, loop, ends[1], WATCH_WRITE, free_in_watch), 0);
	run();
	close(ends[0]);
	close(ends[1]);
}

static void a_number_that_is_used_again_is_another_descriptor(void **state)
{
	struct watch w = { 0 };
	int pair[2], first;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		first = i ? first : pair[0];
		assert_int_equal(pair[0], first);
		told = 0;
		assert_int_equal(watch_start(&w, loop, pair[0], WATCH_READ, on_watch), 0);
		assert_int_equal(write(pair[1], "x", 1), 1);
		run();
		assert_int_equal(told, WATCH_READ);
		watch_stop(&w);
		close(pair[0]);
		close(pair[1]);
	}
}

static void a_regular_file_cannot_be_watched(void **state)
{
	struct watch w = { 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(watch_start(&w, loop, fd, WATCH_READ, on_watch) < 0);
	assert_null(w.handle);
	close(fd);
}

/* --- signals --- */

static int heard;

static void on_signal(struct signal_watch *s, int number)
{
	(void)s;
	heard = number;
	loop_stop(loop);
}

static void signals_come_to_the_loop(void **state)
{
	struct signal_watch s = { 0 };

	(void)state;
	heard = 0;
	assert_int_equal(signal_start(&s, loop, SIGUSR1, on_signal), 0);
	raise(SIGUSR1);
	run();
	assert_int_equal(heard, SIGUSR1);
	signal_stop(&s);
	signal_stop(&s);
	assert_true(signal_start(&s, loop, SIGKILL, on_signal) < 0);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(timers_come_in_order_and_never_early),
		CASE(a_timer_starts_anew),
		CASE(a_timer_may_be_freed_with_its_object_in_its_callback),
		CASE(timers_do_not_keep_descriptors_from_being_looked_at),
		CASE(a_turn_comes_once_in_each_turn),
		CASE(a_turn_may_be_freed_in_its_callback),
		CASE(a_watch_tells_what_it_was_asked_for),
		CASE(a_broken_pipe_is_an_error_and_pauses),
		CASE(a_watch_may_be_freed_in_its_callback),
		CASE(a_number_that_is_used_again_is_another_descriptor),
		CASE(a_regular_file_cannot_be_watched),
		CASE(signals_come_to_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
