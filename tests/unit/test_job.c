/* SPDX-License-Identifier: Apache-2.0 */
/* Work off the loop: two lanes that do not wait for each other, bounded queues, cancelling (R108). */
#include "loop/job.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>

enum { MANY = 2000 };

static struct loop *loop;
static struct job jobs[MANY];
static pthread_t loop_thread;
static atomic_bool gate;
static atomic_uint worked, at_once, most_at_once, let_go;
static unsigned done, done_wanted;
static unsigned order[MANY];
static atomic_bool begun[MANY];

static void on_done(struct job *job)
{
	assert_true(pthread_equal(pthread_self(), loop_thread));
	order[done++] = (unsigned)(job - jobs);
	if (done == done_wanted)
		loop_stop(loop);
}

static void work(struct job *job)
{
	(void)job;
	if (pthread_equal(pthread_self(), loop_thread))
		abort();
	atomic_fetch_add(&worked, 1);
}

static void wait_for_gate(struct job *job)
{
	unsigned now = atomic_fetch_add(&at_once, 1) + 1, most = atomic_load(&most_at_once);

	while (now > most && !atomic_compare_exchange_weak(&most_at_once, &most, now))
		;
	while (!atomic_load(&gate) && !job_stopped(job))
		sched_yield();
	atomic_fetch_sub(&at_once, 1);
	atomic_fetch_add(&worked, 1);
}

static int start(unsigned i, enum lane lane, job_fn *fn)
{
	jobs[i] = (struct job){ .work = fn, .done = on_done, .lane = lane };
	return job_start(&jobs[i], loop);
}

static void run_until_done(unsigned count)
{
	done_wanted = count;
	if (done < count)
		loop_run(loop);
	assert_int_equal(done, count);
}

static int begin(void **state)
{
	(void)state;
	loop = loop_new();
	loop_thread = pthread_self();
	atomic_store(&gate, false);
	atomic_store(&worked, 0);
	atomic_store(&most_at_once, 0);
	done = done_wanted = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	assert_int_equal(job_count(LANE_SHORT) + job_count(LANE_LONG), 0);
	loop_free(loop);
	return 0;
}

static void each_is_worked_and_done_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(start(i, LANE_SHORT, work), 0);
	run_until_done(1000);
	assert_int_equal(atomic_load(&worked), 1000);
}

static void short_work_does_not_wait_for_long_work(void **state)
{
	unsigned queued = 0;

	(void)state;
	while (start(queued, LANE_LONG, wait_for_gate) == 0)
		queued++;
	/* The lane is full: bounded, and told. */
	assert_in_range(queued, 8, 200);
	assert_int_equal(start(queued, LANE_LONG, wait_for_gate), -EAGAIN);
	assert_int_equal(job_count(LANE_LONG), queued);
	assert_int_equal(start(queued, LANE_SHORT, work), 0);
	run_until_done(1);
	assert_int_equal(order[0], queued);
	atomic_store(&gate, true);
	run_until_done(queued + 1);
	assert_in_range(atomic_load(&most_at_once), 1, 8);
}

/* Begins, and ends when all up to it are let go. */
static void wait_until_let_go(struct job *job)
{
	unsigned number = (unsigned)(job - jobs);

	atomic_store(&begun[number], true);
	while (atomic_load(&let_go) <= number)
		sched_yield();
}

/* Whose place one that ends gives free is that of the next, and no other's. */
static void a_lane_is_first_come_first_served(void **state)
{
	unsigned at_once_in_lane = 0;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(start(i, LANE_LONG, wait_until_let_go), 0);
	while (jobs[at_once_in_lane].handle)
		at_once_in_lane++;
	assert_in_range(at_once_in_lane, 1, 16);
	for (unsigned i = 0; i < 40; i++) {
		unsigned next = i + at_once_in_lane;

		atomic_store(&let_go, i + 1);
		run_until_done(i + 1);
		assert_int_equal(order[i], i);
		while (next < 40 && !atomic_load(&begun[next]))
			sched_yield();
		for (unsigned later = next + 1; later < 40; later++)
			assert_false(atomic_load(&begun[later]));
	}
}

static void a_cancelled_job_is_done_all_the_same(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(start(i, LANE_LONG, wait_for_gate), 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_false(job_stopped(&jobs[i]));
		job_cancel(&jobs[i]);
		assert_true(job_stopped(&jobs[i]));
	}
	run_until_done(10);
	assert_int_equal(atomic_load(&worked), 10);
}

static void a_deadline_stops(void **state)
{
	(void)state;
	jobs[0] = (struct job){ .work = wait_for_gate,
		.done = on_done,
		.lane = LANE_LONG,
		.deadline_ns = clock_now_ns() + 3600 * NS_PER_S };
	assert_false(job_stopped(&jobs[0]));
	jobs[0].deadline_ns = clock_now_ns() + 20 * NS_PER_MS;
	assert_int_equal(job_start(&jobs[0], loop), 0);
	run_until_done(1);
	assert_true(job_stopped(&jobs[0]));
}

static void start_next(struct job *job)
{
	unsigned i = (unsigned)(job - jobs);

	done++;
	if (done == done_wanted) {
		loop_stop(loop);
		return;
	}
	jobs[i + 1] = (struct job){ .work = work, .done = start_next, .lane = LANE_SHORT };
	assert_int_equal(job_start(&jobs[i + 1], loop), 0);
}

static void a_job_may_start_another_when_it_is_done(void **state)
{
	(void)state;
	jobs[0] = (struct job){ .work = work, .done = start_next, .lane = LANE_SHORT };
	assert_int_equal(job_start(&jobs[0], loop), 0);
	run_until_done(200);
}

/* A signal that a worker could take would come late to the loop, and break off the worker's calls. */
static void look_at_signals(struct job *job)
{
	static const int numbers[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (sigismember(&blocked, numbers[i]) != 1)
			abort();
	}
	work(job);
}

static void workers_take_no_signals(void **state)
{
	sigset_t blocked;

	(void)state;
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(start(i, i % 2 ? LANE_SHORT : LANE_LONG, look_at_signals), 0);
	run_until_done(50);
	assert_int_equal(atomic_load(&worked), 50);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	assert_int_equal(sigismember(&blocked, SIGCHLD), 0);
}

int main(void)
{
#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(each_is_worked_and_done_once),
		CASE(short_work_does_not_wait_for_long_work),
		CASE(a_lane_is_first_come_first_served),
		CASE(a_cancelled_job_is_done_all_the_same),
		CASE(a_deadline_stops),
		CASE(a_job_may_start_another_when_it_is_done),
		CASE(workers_take_no_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
