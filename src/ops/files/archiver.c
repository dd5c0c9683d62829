/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/archiver.h"

#include "base/clock.h"

#include <errno.h>

enum { PIECE = 256 * 1024, READY_MAX = 160 << 20, RETRY_MS = 5 };

static void go_on(struct archiver *a);

static bool is_squeezed(const struct archiver *a)
{
	return a->pack.format == PACK_TAR_GZ || a->pack.format == PACK_TAR_ZST;
}

/* In a worker. */
static void work_pack(struct job *job)
{
	struct archiver *a = OWNER(job, struct archiver, job);
	struct pack *p = &a->pack;

	a->pack_failed = pack_step(p, a->seed + PIECE, &a->pack_err) < 0;
	if (p->too_many)
		call_over_limit(a->call, "max_files", &a->pack_err,
			"there are more than %lld entries: ask for application/octet-stream", (long long)p->max_files);
}

/* The next block of gzip looks back to the end of this one. */
static void keep_end(struct archiver *a, const struct buf *packed)
{
	a->seed = MIN(packed->len, SQUEEZE_SEED);
	buf_add(&a->pack.made, packed->data + packed->len - a->seed, a->seed);
}

static void take_packed(struct archiver *a)
{
	struct archiver_block *b = &a->blocks[a->packed++ % ARCHIVER_BLOCKS];
	struct buf *to = is_squeezed(a) ? &b->packed : &b->ready;

	b->state = is_squeezed(a) ? BLOCK_PACKED : BLOCK_READY;
	b->seed = a->seed;
	b->last = a->pack.finished;
	*to = a->pack.made;
	buf_init_budgeted(&a->pack.made, to->limit);
	if (a->pack.format == PACK_TAR_GZ)
		keep_end(a, to);
}

/* The first reason counts: what is stopped because of it fails too. */
static void fail(struct archiver *a, const struct err *err)
{
	if (!a->failed)
		a->err = *err;
	a->failed = true;
}

static void packed(struct job *job)
{
	struct archiver *a = OWNER(job, struct archiver, job);

	a->packing = false;
	if (a->pack_failed)
		fail(a, &a->pack_err);
	else
		take_packed(a);
	go_on(a);
	a->on_more(a);
}

/* In a worker. */
static void work_squeeze(struct job *job)
{
	struct archiver_block *b = OWNER(job, struct archiver_block, job);
	const struct buf *from = &b->packed;
	struct squeeze_block what = { { from->data, b->seed }, { from->data + b->seed, from->len - b->seed }, b->last };

	if (!b->archiver->zstd && b->seed == 0)
		squeeze_gzip_head(&b->ready); /* only the first has nothing to look back to */
	if (job_stopped(job))
		b->status = -ECANCELED;
	else if (b->archiver->zstd)
		b->status = squeeze_zstd(b->archiver->zstd, &what, &b->ready);
	else
		b->status = squeeze_gzip(&what, &b->ready, &b->sum);
	if (buf_failed(&b->ready))
		b->status = -ENOMEM;
}

static void squeezed(struct job *job)
{
	struct archiver_block *b = OWNER(job, struct archiver_block, job);
	struct archiver *a = b->archiver;
	struct err err;

	b->state = BLOCK_READY;
	b->len = b->packed.len - b->seed;
	buf_free(&b->packed);
	if (b->status < 0) {
		err_set(&err, ERR_BUSY, "memory is used up");
		fail(a, &err);
	}
	go_on(a);
	a->on_more(a);
}

static bool start_job(struct archiver *a, struct job *job, job_fn *work, job_fn *done)
{
	*job = (struct job){ .work = work, .done = done, .lane = LANE_LONG, .user = policy_file_user(a->pack.policy) };
	return job_start(job, a->call->loop) == 0;
}

static bool start_packing(struct archiver *a)
{
	if (a->packing || a->pack.finished || a->packed - a->taken == ARCHIVER_BLOCKS)
		return true;
	a->packing = start_job(a, &a->job, work_pack, packed);
	return a->packing;
}

/* Of zstd only the one whose turn it is. */
static bool start_squeezing(struct archiver *a)
{
	for (unsigned i = a->taken; i < a->packed; i++) {
		struct archiver_block *b = &a->blocks[i % ARCHIVER_BLOCKS];

		if (b->state == BLOCK_PACKED && !start_job(a, &b->job, work_squeeze, squeezed))
			return false;
		if (b->state == BLOCK_PACKED)
			b->state = BLOCK_BUSY;
		if (b->state == BLOCK_BUSY && a->zstd)
			break;
	}
	return true;
}

static void on_retry(struct timer *t)
{
	go_on(OWNER(t, struct archiver, retry));
}

/* Where every worker has enough to do, it is tried again. */
static void go_on(struct archiver *a)
{
	if (a->failed || a->stopped)
		return;
	if (!start_squeezing(a) || !start_packing(a))
		timer_start(&a->retry, a->call->loop, RETRY_MS * NS_PER_MS, on_retry);
}

int archiver_init(
	struct archiver *a, struct call *call, const struct list *paths, enum pack_format format, int64_t max_files)
{
	a->call = call;
	a->pack = (struct pack){ .job = &a->job, .format = format, .max_files = max_files };
	for (size_t i = 0; i < ARCHIVER_BLOCKS; i++) {
		a->blocks[i].archiver = a;
		buf_init_budgeted(&a->blocks[i].packed, READY_MAX);
		buf_init_budgeted(&a->blocks[i].ready, READY_MAX);
	}
	if (pack_init(&a->pack, call, paths, &a->err) < 0)
		return -1;
	if (format == PACK_TAR_ZST && !(a->zstd = squeeze_zstd_new()))
		return err_set(&a->err, ERR_BUSY, "memory is used up");
	return 0;
}

void archiver_done(struct archiver *a)
{
	timer_free(&a->retry);
	for (size_t i = 0; i < ARCHIVER_BLOCKS; i++) {
		buf_free(&a->blocks[i].packed);
		buf_free(&a->blocks[i].ready);
	}
	squeeze_zstd_free(a->zstd);
	pack_done(&a->pack);
}

int archiver_start(struct archiver *a)
{
	a->packing = call_job(a->call, &a->job, LANE_LONG, work_pack, packed) == 0;
	return a->packing ? 0 : -1;
}

void archiver_stop(struct archiver *a)
{
	a->stopped = true;
	timer_stop(&a->retry);
	job_cancel(&a->job);
	for (size_t i = 0; i < ARCHIVER_BLOCKS; i++)
		job_cancel(&a->blocks[i].job);
}

bool archiver_take(struct archiver *a, struct buf *out)
{
	struct archiver_block *b = &a->blocks[a->taken % ARCHIVER_BLOCKS];

	if (a->taken == a->packed || b->state != BLOCK_READY || b->status < 0)
		return false;
	a->sum = squeeze_gzip_sum(a->sum, b->sum, b->len);
	a->size += b->len;
	if (b->last && a->pack.format == PACK_TAR_GZ)
		squeeze_gzip_tail(&b->ready, a->sum, a->size);
	buf_free(out);
	*out = b->ready;
	buf_init_budgeted(&b->ready, READY_MAX);
	a->taken++;
	go_on(a);
	return true;
}

bool archiver_is_idle(const struct archiver *a)
{
	bool is_idle = !a->packing;

	for (unsigned i = a->taken; i < a->packed; i++)
		is_idle = is_idle && a->blocks[i % ARCHIVER_BLOCKS].state != BLOCK_BUSY;
	return is_idle;
}

bool archiver_is_finished(const struct archiver *a)
{
	return !a->packing && a->pack.finished && a->taken == a->packed;
}
