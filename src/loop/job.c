/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/job.h"

#include "base/clock.h"
#include "loop/loop_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Running at once and waiting, per lane.  The threads are libuv's pool, sized to the sum of the first. */
static const struct {
	unsigned running, waiting;
} lane_limits[LANE_COUNT] = {
	[LANE_SHORT] = { 4, 1024 },
	[LANE_LONG] = { 4, 64 },
};

struct job_handle {
	uv_work_t uv;
	struct job *job;
};

static struct {
	struct job *first, **last;
	unsigned running, waiting;
} lanes[LANE_COUNT];

static void run_next(enum lane lane);

static void on_work(uv_work_t *uv)
{
	struct job *job = OWNER(uv, struct job_handle, uv)->job;
	struct as_self self;

	if (!job->user) {
		job->work(job);
		return;
	}
	/* Whoever sets a user has tried it before; work as root in its place is no way out. */
	if (as_user_enter(job->user, &self) < 0)
		abort();
	job->work(job);
	as_user_leave(&self);
}

static void on_done(uv_work_t *uv, int status)
{
	struct job_handle *handle = OWNER(uv, struct job_handle, uv);
	struct job *job = handle->job;
	enum lane lane = job->lane;

	(void)status; /* never cancelled through libuv: a started job runs, even if only to see that it was stopped */
	free(handle);
	job->handle = NULL;
	lanes[lane].running--;
	run_next(lane);
	job->done(job);
}

/* The first one makes the threads of the pool. */
static int queue(struct loop *loop, uv_work_t *work)
{
	static bool has_pool;
	sigset_t before;
	int status;

	if (has_pool)
		return uv_queue_work(&loop->uv, work, on_work, on_done);
	has_pool = true;
	signal_hold_all(&before);
	status = uv_queue_work(&loop->uv, work, on_work, on_done);
	signal_let_go(&before);
	return status;
}

static void run(struct job *job)
{
	job->handle = mem_new(struct job_handle);
	job->handle->job = job;
	lanes[job->lane].running++;
	if (queue(job->loop, &job->handle->uv) < 0)
		abort(); /* only for a NULL callback */
}

static void run_next(enum lane lane)
{
	struct job *job = lanes[lane].first;

	if (!job)
		return;
	lanes[lane].first = job->next;
	if (!job->next)
		lanes[lane].last = NULL;
	lanes[lane].waiting--;
	run(job);
}

static void set_pool_size(void)
{
	static bool done;
	char size[16];

	if (done)
		return;
	done = true;
	snprintf(size, sizeof size, "%u", lane_limits[LANE_SHORT].running + lane_limits[LANE_LONG].running);
	setenv("UV_THREADPOOL_SIZE", size, 1);
}

int job_start(struct job *job, struct loop *loop)
{
	enum lane lane = job->lane;

	set_pool_size();
	job->loop = loop;
	job->next = NULL;
	if (lanes[lane].running < lane_limits[lane].running) {
		run(job);
		return 0;
	}
	if (lanes[lane].waiting >= lane_limits[lane].waiting)
		return -EAGAIN;
	if (lanes[lane].last)
		*lanes[lane].last = job;
	else
		lanes[lane].first = job;
	lanes[lane].last = &job->next;
	lanes[lane].waiting++;
	return 0;
}

void job_cancel(struct job *job)
{
	atomic_store(&job->cancelled, true);
}

bool job_stopped(const struct job *job)
{
	return atomic_load(&job->cancelled) || (job->deadline_ns && clock_now_ns() > job->deadline_ns);
}

unsigned job_count(enum lane lane)
{
	return lanes[lane].running + lanes[lane].waiting;
}
