/* SPDX-License-Identifier: Apache-2.0 */
/* Waits on the loop for what a test plays itself: a step of the play and a question, every millisecond. */
#pragma once

#include "loop/loop.h"

#include "base/clock.h"

typedef bool condition(const void *what);

static struct {
	struct loop *loop;
	struct timer timer;
	void (*play)(void);
	condition *is_met;
	const void *what;
	int64_t until_ns;
	bool met;
} wait;

static void wait_init(struct loop *loop, void (*play)(void))
{
	wait.loop = loop;
	wait.play = play;
}

/* Before the loop is freed. */
static void wait_free(void)
{
	timer_free(&wait.timer);
}

static void on_wait(struct timer *t)
{
	wait.play();
	wait.met = wait.is_met && wait.is_met(wait.what);
	if (wait.met || clock_now_ns() > wait.until_ns)
		loop_stop(wait.loop);
	else
		timer_start(t, wait.loop, NS_PER_MS, on_wait);
}

/* is_met NULL: lets the time pass. */
static bool within(int64_t ms, condition *is_met, const void *what)
{
	wait.is_met = is_met;
	wait.what = what;
	wait.until_ns = clock_now_ns() + ms * NS_PER_MS;
	timer_start(&wait.timer, wait.loop, 0, on_wait);
	loop_run(wait.loop);
	return wait.met;
}

#define until(is_met, what) assert_true(within(DEADLINE_MS, is_met, what))
