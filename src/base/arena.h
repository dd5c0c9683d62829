/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that dies together: one arena per call.
 *
 * Nothing taken from it is freed alone.  What it holds is bounded by a limit given at
 * birth and by the process's budget (budget.h); a refused request returns NULL and
 * leaves the arena usable.  One thread at a time.
 */
#pragma once

#include "base/str.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	size_t used, limit;         /* bytes allocated from the system; most of them */
};

void arena_init(struct arena *a, size_t limit);
void arena_free(struct arena *a);

/* Zeroed, aligned for any type.  NULL at the limit. */
void *arena_alloc(struct arena *a, size_t size) MUST_CHECK;
#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc_array((a), (n), sizeof(type)))
void *arena_alloc_array(struct arena *a, size_t count, size_t size) MUST_CHECK;

char *arena_strndup(struct arena *a, const char *text, size_t len) MUST_CHECK;
char *arena_strdup(struct arena *a, const char *text) MUST_CHECK;
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3) MUST_CHECK;
