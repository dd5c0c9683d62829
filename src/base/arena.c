/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include "base/budget.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CHUNK = 1024, LARGEST_CHUNK = 64 * 1024 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used; /* of bytes[] */
	alignas(max_align_t) char bytes[];
};

void arena_init(struct arena *a, size_t limit)
{
	*a = (struct arena){ .limit = limit };
}

void arena_free(struct arena *a)
{
	struct arena_chunk *chunk = a->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	budget_give(a->used);
	a->chunks = NULL;
	a->used = 0;
}

static struct arena_chunk *new_chunk(struct arena *a, size_t size)
{
	size_t total = size + sizeof(struct arena_chunk);
	struct arena_chunk *chunk;

	if (total < size || a->used > a->limit || total > a->limit - a->used || !budget_take(total))
		return NULL;
	chunk = malloc(total);
	if (!chunk) {
		budget_give(total);
		return NULL;
	}
	*chunk = (struct arena_chunk){ .size = size };
	a->used += total;
	return chunk;
}

/* A chunk that others will share; where it would be too much, one for this request alone. */
static struct arena_chunk *add_chunk(struct arena *a, size_t at_least)
{
	size_t size = a->chunks ? MIN(a->chunks->size * 2, (size_t)LARGEST_CHUNK)
				: FIRST_CHUNK - sizeof(struct arena_chunk);
	struct arena_chunk *chunk = new_chunk(a, MAX(size, at_least));

	if (!chunk && size > at_least)
		chunk = new_chunk(a, at_least);
	if (!chunk)
		return NULL;
	/* Behind the newest if that has more room left. */
	if (a->chunks && a->chunks->size - a->chunks->used > chunk->size - at_least) {
		chunk->next = a->chunks->next;
		a->chunks->next = chunk;
	} else {
		chunk->next = a->chunks;
		a->chunks = chunk;
	}
	return chunk;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t rounded = (MAX(size, (size_t)1) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	struct arena_chunk *chunk = a->chunks;
	void *p;

	if (rounded < size)
		return NULL;
	if (!chunk || chunk->size - chunk->used < rounded)
		chunk = add_chunk(a, rounded);
	if (!chunk)
		return NULL;
	p = chunk->bytes + chunk->used;
	chunk->used += rounded;
	return memset(p, 0, size);
}

void *arena_alloc_array(struct arena *a, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	return arena_alloc(a, total);
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? arena_alloc(a, len + 1) : NULL;

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_strndup(a, text, strlen(text));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args;
	int len;
	char *text;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		return NULL;
	text = arena_alloc(a, (size_t)len + 1);
	if (!text)
		return NULL;
	va_start(args, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, args);
	va_end(args);
	return text;
}
