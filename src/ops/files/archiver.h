/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The making of an archive: one worker packs a block while others compress the ones before it.
 *
 * A few blocks are on their way at a time, and leave in their order; who does not take them keeps no worker.
 * The owner, whose member it is, hears of every change by on_more(), on the loop.  archiver_stop() ends it;
 * once archiver_is_idle(), no worker uses it and archiver_done() may follow.
 */
#pragma once

#include "ops/files/pack.h"
#include "ops/files/squeeze.h"

enum { ARCHIVER_BLOCKS = 3 };

struct archiver;

struct archiver_block {
	struct archiver *archiver;
	struct job job;
	enum { BLOCK_PACKED, BLOCK_BUSY, BLOCK_READY } state;
	struct buf packed, ready;
	size_t seed; /* so much of `packed` is only there to look back to */
	bool last;
	int status;
	size_t len; /* before it was compressed */
	uint32_t sum;
};

struct archiver {
	struct call *call;
	struct pack pack;
	void (*on_more)(struct archiver *a);
	bool failed;    /* nothing more comes */
	struct err err; /* why */
	/* its own */
	struct job job;
	struct timer retry;
	struct archiver_block blocks[ARCHIVER_BLOCKS];
	unsigned packed, taken; /* blocks so far */
	bool packing, pack_failed, stopped;
	struct err pack_err; /* the worker's, until it is back */
	size_t seed;         /* of the block that is being packed */
	struct squeeze_zstd *zstd;
	uint32_t sum; /* of all that was taken */
	uint64_t size;
};

/* -1 with a->err; archiver_done() is needed in any case. */
int archiver_init(struct archiver *a, struct call *call, const struct list *paths, enum pack_format format,
	int64_t max_files) MUST_CHECK;
void archiver_done(struct archiver *a);

/* -1 with call->err: there are too many jobs already. */
int archiver_start(struct archiver *a) MUST_CHECK;
void archiver_stop(struct archiver *a);

/* Puts the next block into `out`, which is empty; false: there is none yet, or none any more. */
bool archiver_take(struct archiver *a, struct buf *out);
bool archiver_is_idle(const struct archiver *a);
bool archiver_is_finished(const struct archiver *a); /* all was taken */
