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

bool budget_take(size_t bytes) MUST_CHECK;

/*
 * The same for what can also do with less, such as the output of commands: only while a quarter
 * stays free, so that others can still be answered.
 */
bool budget_take_spare(size_t bytes) MUST_CHECK;
void budget_give(size_t bytes);

size_t budget_used(void);
size_t budget_limit(void);
