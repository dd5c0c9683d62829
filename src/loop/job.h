/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work off the loop, in two lanes: short work (a stat, a read) never waits behind long work
 * (a walk, an archive).  Each lane runs a few jobs at once and queues a bounded number more;
 * beyond that job_start() refuses.
 *
 * A job is a member of the object that it serves and is not to be freed before done() was
 * called, which happens exactly once for a started job, on the loop.  job_cancel() only
 * asks: work() looks at job_stopped() where it may take long.
 */
#pragma once

#include "base/as_user.h"
#include "loop/loop.h"

#include <stdatomic.h>

enum lane { LANE_SHORT, LANE_LONG, LANE_COUNT };

struct job;
typedef void job_fn(struct job *job);

struct job {
	job_fn *work; /* in a worker thread */
	job_fn *done; /* on the loop */
	struct loop *loop;
	enum lane lane;
	const struct as_user *user; /* whose files it touches; NULL: the process's own.  Lives as long as the job */
	atomic_bool cancelled;
	int64_t deadline_ns; /* monotonic; 0 is none */
	struct job *next;    /* in the lane's queue */
	struct job_handle *handle;
};

/* 0, or -EAGAIN when the lane is full.  Fill in work, done, lane and deadline_ns before. */
int job_start(struct job *job, struct loop *loop) MUST_CHECK;
void job_cancel(struct job *job);
bool job_stopped(const struct job *job); /* cancelled, or past its deadline */

unsigned job_count(enum lane lane); /* running and queued */
