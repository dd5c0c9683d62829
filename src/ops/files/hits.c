/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/hits.h"

#include "base/utf8.h"
#include "ops/files/files.h"

#include <stdlib.h>

enum { ANSWER_MAX = 8 * 1024 * 1024, HIT_COST = 96 };

struct recent {
	size_t len;
	char text[SCAN_TEXT_MAX];
};

void hits_init(struct hits *h, struct call *call, size_t most, size_t context)
{
	*h = (struct hits){ .call = call, .most = most, .context = context };
	if (context)
		h->recent = mem_alloc(context * sizeof *h->recent);
}

void hits_done(struct hits *h)
{
	free(h->recent);
	h->recent = NULL;
}

void hits_file(struct hits *h, struct str path)
{
	h->path = path;
	h->path_kept = false;
	h->in_file = 0;
	h->recent_count = 0;
}

/* About what it takes in JSON. */
static size_t cost(struct str text)
{
	size_t sum = 8;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.p[i];

		sum += c < ' ' || c == 0x7f ? 6 : c == '"' || c == '\\' ? 2 : c >= 0x80 ? 3 : 1;
	}
	return sum;
}

static bool fail(struct hits *h)
{
	err_set(&h->call->err, ERR_BUSY, "the call needs more memory than is left: ask for fewer results");
	h->failed = true;
	return false;
}

static char *keep(struct hits *h, struct str text)
{
	char *kept = arena_strndup(&h->call->arena, text.len ? text.p : "", text.len);

	if (!kept)
		fail(h);
	h->cost += cost(text);
	return kept;
}

static bool keep_path(struct hits *h)
{
	if (!h->path_kept)
		h->path.p = keep(h, h->path);
	h->path_kept = true;
	return h->path.p != NULL;
}

static bool keep_before(struct hits *h, struct hit *hit)
{
	size_t count = MIN(h->recent_count, h->context);
	char **lines;

	if (!h->context)
		return true;
	lines = arena_array(&h->call->arena, char *, 2 * h->context);
	if (!lines)
		return fail(h);
	hit->before = (struct list){ lines, count };
	hit->after = (struct list){ lines + h->context, 0 };
	for (size_t i = 0; i < count; i++) {
		const struct recent *line = &h->recent[(h->recent_count - count + i) % h->context];

		lines[i] = keep(h, (struct str){ line->text, line->len });
		if (!lines[i])
			return false;
		hit->lossy |= !utf8_valid((struct str){ line->text, line->len });
	}
	return true;
}

/* Whether an earlier match of this file still waits for lines behind it. */
static bool waits(const struct hits *h)
{
	return h->context && h->in_file && h->last->after.count < h->context;
}

bool hits_match(struct hits *h, const struct scan_match *match)
{
	struct hit *hit;

	if (h->count >= h->most || h->cost >= ANSWER_MAX) {
		h->full = true;
		return waits(h);
	}
	hit = arena_new(&h->call->arena, struct hit);
	if (!hit)
		return fail(h);
	if (!keep_path(h) || !keep_before(h, hit))
		return false;
	hit->text = (struct str){ keep(h, match->text), match->text.len };
	if (!hit->text.p)
		return false;
	hit->path = h->path;
	hit->path_b64 = files_exact(h->path);
	hit->line = (int64_t)match->line;
	hit->column = (int64_t)match->column;
	hit->cut = match->cut;
	hit->lossy |= !utf8_valid(match->text);
	hit->previous = h->last;
	h->last = hit;
	h->count++;
	h->in_file++;
	h->cost += HIT_COST + h->path.len;
	return true;
}

bool hits_line(struct hits *h, uint64_t line, struct str text)
{
	struct recent *recent = &h->recent[h->recent_count % h->context];
	struct hit *hit = h->last;
	bool is_lossy = !utf8_valid(text);
	char *kept = NULL;

	for (size_t i = 0; i < h->in_file && hit->after.count < h->context; i++, hit = hit->previous) {
		if (hit->line >= (int64_t)line)
			continue; /* this very line */
		if (!kept)
			kept = keep(h, text);
		if (!kept)
			return false;
		hit->lossy |= is_lossy;
		h->cost += text.len; /* once more in the answer */
		((char **)hit->after.items)[hit->after.count++] = kept;
	}
	recent->len = text.len;
	if (text.len)
		memcpy(recent->text, text.p, text.len);
	h->recent_count++;
	return !h->full || waits(h);
}

static int by_place(const void *a, const void *b)
{
	const struct hit *left = a, *right = b;
	int order = strcmp(left->path.p, right->path.p);

	return order ? order : (left->line > right->line) - (left->line < right->line);
}

int hits_list(struct hits *h, struct list *ret_list)
{
	struct hit *items = arena_array(&h->call->arena, struct hit, h->count);
	size_t i = h->count;

	if (!items) {
		fail(h);
		return -1;
	}
	for (const struct hit *hit = h->last; hit; hit = hit->previous)
		items[--i] = *hit;
	qsort(items, h->count, sizeof *items, by_place);
	*ret_list = (struct list){ items, h->count };
	return 0;
}
