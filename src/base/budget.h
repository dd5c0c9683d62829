/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one budget of memory that clients can make the process hold: bodies, captures,
 * journals, queues.  Arenas and budgeted buffers take from it before they grow and
 * give back when they shrink; whoever is refused fails its request, nobody else's.
 * May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* 0 is no limit, which is the state before this is called. */
void budget_set_limit(size_t bytes);

/* Bytes of a take that may have the last eighth too: what an ordinary call needs, whatever large ones hold. */
enum { BUDGET_SMALL = 16 * 1024 };

/* More than BUDGET_SMALL bytes are taken only while an eighth of the limit stays free. */
bool budget_take(size_t bytes) MUST_CHECK;

/* Bytes that takes of `piece` bytes each may still have together; SIZE_MAX without a limit. */
size_t budget_left(size_t piece);

/*
 * Between the two calls this thread is never refused: for what the program says of itself, which is small, soon
 * given back, and has no answer for a lack of memory.
 */
void budget_insist(bool on);

/*
 * The same as budget_take() for what can also do with less, such as the output of commands: only while a quarter
 * stays free, so that others can still be answered.
 */
bool budget_take_spare(size_t bytes) MUST_CHECK;
void budget_give(size_t bytes);

size_t budget_used(void);
size_t budget_limit(void);
