/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/diff.h"

#include "base/budget.h"

#include <errno.h>
#include <stdlib.h>

enum {
	CONTEXT = 3,
	STEPS_MAX = 1000,      /* single lines taken away or added, for which the shortest way is looked for */
	LINES_MAX = 64 * 1024, /* of a side between the first and the last difference, for the same */
};

struct line {
	struct str text;
	uint64_t hash;
};

struct change {
	size_t a, a_count, b, b_count; /* lines, from 0 */
};

struct diff {
	struct str a, b;               /* whole */
	struct str a_middle, b_middle; /* without what is the same at both ends */
	size_t skipped;                /* lines in front of the middle */
	struct line *a_lines, *b_lines;
	size_t a_count, b_count; /* of the middle */
	int *trace;              /* by steps: how far each diagonal got */
	struct change *changes;  /* from the last to the first while they are found */
	size_t change_count;
	size_t taken; /* of the budget */
};

static void *take(struct diff *d, size_t count, size_t size)
{
	void *p;

	if (!budget_take(count * size))
		return NULL;
	p = calloc(count ? count : 1, size);
	if (!p)
		budget_give(count * size);
	else
		d->taken += count * size;
	return p;
}

static void done(struct diff *d)
{
	free(d->a_lines);
	free(d->b_lines);
	free(d->trace);
	free(d->changes);
	budget_give(d->taken);
}

/* The next line with its newline, which is moved over. */
static struct str take_line(struct str *text)
{
	const char *end = text->len ? memchr(text->p, '\n', text->len) : NULL;
	struct str line = { text->p, end ? (size_t)(end + 1 - text->p) : text->len };

	text->p += line.len;
	text->len -= line.len;
	return line;
}

static size_t count_lines(struct str text)
{
	size_t count = 0;

	while (text.len) {
		take_line(&text);
		count++;
	}
	return count;
}

static bool begins_line(struct str text, size_t at)
{
	return at == 0 || text.p[at - 1] == '\n';
}

/* Whole lines that are the same at the front and at the back are no part of the middle. */
static void find_middle(struct diff *d)
{
	size_t most = MIN(d->a.len, d->b.len), same = 0, start = 0, back = 0, end = 0;

	for (; same < most && d->a.p[same] == d->b.p[same]; same++) {
		if (d->a.p[same] == '\n')
			start = same + 1;
	}
	/* A common tail counts from behind a newline of both. */
	for (; back < most - start && d->a.p[d->a.len - back - 1] == d->b.p[d->b.len - back - 1]; back++) {
		if (d->a.p[d->a.len - back - 1] == '\n')
			end = back;
	}
	if (begins_line(d->a, d->a.len - back) && begins_line(d->b, d->b.len - back))
		end = back;
	d->skipped = count_lines((struct str){ d->a.p, start });
	d->a_middle = (struct str){ d->a.p + start, d->a.len - start - end };
	d->b_middle = (struct str){ d->b.p + start, d->b.len - start - end };
	d->a_count = count_lines(d->a_middle);
	d->b_count = count_lines(d->b_middle);
}

static struct line *split(struct diff *d, struct str text, size_t count)
{
	struct line *lines = take(d, count, sizeof *lines);

	for (size_t i = 0; lines && i < count; i++) {
		uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

		lines[i].text = take_line(&text);
		for (size_t j = 0; j < lines[i].text.len; j++)
			hash = (hash ^ (unsigned char)lines[i].text.p[j]) * UINT64_C(0x100000001b3);
		lines[i].hash = hash;
	}
	return lines;
}

static bool is_same(const struct diff *d, int x, int y)
{
	return d->a_lines[x].hash == d->b_lines[y].hash && str_eq(d->a_lines[x].text, d->b_lines[y].text);
}

static int *row(const struct diff *d, int steps)
{
	return d->trace + (size_t)steps * ((size_t)steps + 1) / 2;
}

/*
 * Where the step to diagonal i of `steps` (k = 2i - steps; x - y = k) comes from: x after the step, or -1.
 * *ret_adds: it adds a line of b.
 */
static int best_step(const struct diff *d, int steps, int i, bool *ret_adds)
{
	const int *before = row(d, steps - 1);
	int k = 2 * i - steps;
	int add = i < steps && before[i] >= 0 && before[i] - k <= (int)d->b_count ? before[i] : -1;
	int remove = i > 0 && before[i - 1] >= 0 && before[i - 1] < (int)d->a_count ? before[i - 1] + 1 : -1;

	*ret_adds = add >= remove;
	return MAX(add, remove);
}

/* How many steps lead from one text to the other, or -1: too many. */
static int find_way(struct diff *d)
{
	int n = (int)d->a_count, m = (int)d->b_count;

	for (int steps = 0; steps <= MIN(n + m, STEPS_MAX); steps++) {
		for (int i = 0; i <= steps; i++) {
			int k = 2 * i - steps, y;
			bool adds;
			int x = steps ? best_step(d, steps, i, &adds) : 0;

			for (y = x - k; x >= 0 && x < n && y < m && is_same(d, x, y); y++)
				x++;
			row(d, steps)[i] = x;
			if (x == n && k == n - m)
				return steps;
		}
	}
	return -1;
}

/* One line more in front of what was found so far. */
static void add_step(struct diff *d, size_t a, size_t b, bool adds)
{
	struct change *last = d->change_count ? &d->changes[d->change_count - 1] : NULL;

	if (!last || last->a != a + !adds || last->b != b + adds) {
		last = &d->changes[d->change_count++];
		*last = (struct change){ .a = a, .b = b };
	}
	last->a = a;
	last->b = b;
	last->a_count += !adds;
	last->b_count += adds;
}

static void walk_back(struct diff *d, int steps)
{
	int k = (int)d->a_count - (int)d->b_count;

	for (; steps > 0; steps--) {
		bool adds;
		int x = best_step(d, steps, (k + steps) / 2, &adds), y = x - k;

		if (adds) {
			y--;
			k++;
		} else {
			x--;
			k--;
		}
		add_step(d, d->skipped + (size_t)x, d->skipped + (size_t)y, adds);
	}
}

static bool is_small(const struct diff *d)
{
	return d->a_count && d->b_count && d->a_count <= LINES_MAX && d->b_count <= LINES_MAX;
}

static int find_changes(struct diff *d)
{
	size_t most = MIN(d->a_count + d->b_count, (size_t)STEPS_MAX) + 1;
	int steps = -1;

	d->changes = take(d, most, sizeof *d->changes);
	if (!d->changes)
		return -ENOMEM;
	if (is_small(d)) {
		d->a_lines = split(d, d->a_middle, d->a_count);
		d->b_lines = split(d, d->b_middle, d->b_count);
		d->trace = take(d, most * (most + 1) / 2, sizeof *d->trace);
		if (!d->a_lines || !d->b_lines || !d->trace)
			return -ENOMEM;
		steps = find_way(d);
	}
	if (steps >= 0) {
		walk_back(d, steps);
	} else if (d->a_count || d->b_count) {
		d->changes[0] = (struct change){ d->skipped, d->a_count, d->skipped, d->b_count };
		d->change_count = 1;
	}
	return 0;
}

/* In order, though they were found from the end. */
static const struct change *get(const struct diff *d, size_t i)
{
	return &d->changes[d->change_count - 1 - i];
}

static void add_line(struct buf *out, char mark, struct str line)
{
	buf_addc(out, mark);
	buf_add(out, line.p, line.len);
	if (!line.len || line.p[line.len - 1] != '\n')
		buf_adds(out, "\n\\ No newline at end of file\n");
}

static void add_lines(struct buf *out, char mark, struct str *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_line(out, mark, take_line(text));
}

static void skip_lines(struct str *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		take_line(text);
}

static void add_range(struct buf *out, char mark, size_t first, size_t count)
{
	buf_addf(out, " %c%zu", mark, count ? first + 1 : first);
	if (count != 1)
		buf_addf(out, ",%zu", count);
}

/* Where a text was read up to. */
struct place_in {
	struct str rest;
	size_t line;
};

static void move_to(struct place_in *at, size_t line)
{
	skip_lines(&at->rest, line - at->line);
	at->line = line;
}

/* The changes from first to last are near each other: one hunk. */
static void add_hunk(
	const struct diff *d, struct buf *out, size_t first, size_t last, struct place_in *a, struct place_in *b)
{
	const struct change *from = get(d, first), *to = get(d, last);
	size_t lead = MIN(from->a, (size_t)CONTEXT), tail = 0;
	struct str rest;

	move_to(a, from->a - lead);
	move_to(b, from->b - lead);
	rest = a->rest;
	skip_lines(&rest, to->a + to->a_count - a->line);
	for (; tail < CONTEXT && rest.len; tail++)
		take_line(&rest);
	buf_adds(out, "@@");
	add_range(out, '-', a->line, to->a + to->a_count + tail - a->line);
	add_range(out, '+', b->line, to->b + to->b_count + tail - b->line);
	buf_adds(out, " @@\n");
	for (size_t i = first; i <= last; i++) {
		const struct change *change = get(d, i);

		add_lines(out, ' ', &a->rest, change->a - a->line);
		move_to(b, change->b);
		add_lines(out, '-', &a->rest, change->a_count);
		add_lines(out, '+', &b->rest, change->b_count);
		a->line = change->a + change->a_count;
		b->line = change->b + change->b_count;
	}
	add_lines(out, ' ', &a->rest, tail);
	a->line += tail;
}

static void add_name(struct buf *out, const char *mark, struct str name)
{
	buf_adds(out, mark);
	while (name.len && name.p[0] == '/') {
		name.p++;
		name.len--;
	}
	for (size_t i = 0; i < name.len; i++)
		buf_addc(out, (unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f ? '?' : name.p[i]);
	buf_addc(out, '\n');
}

static void add_hunks(const struct diff *d, struct buf *out)
{
	struct place_in a = { d->a, 0 }, b = { d->b, 0 };

	for (size_t first = 0, last; first < d->change_count && !buf_failed(out); first = last + 1) {
		for (last = first; last + 1 < d->change_count; last++) {
			if (get(d, last + 1)->a - get(d, last)->a - get(d, last)->a_count > 2 * CONTEXT)
				break;
		}
		add_hunk(d, out, first, last, &a, &b);
	}
}

int diff_unified(struct buf *out, struct str name, struct str before, struct str after)
{
	struct diff d = { .a = before, .b = after };
	int status;

	if (str_eq(before, after))
		return 0;
	find_middle(&d);
	status = find_changes(&d);
	if (status == 0) {
		add_name(out, "--- a/", name);
		add_name(out, "+++ b/", name);
		add_hunks(&d, out);
	}
	done(&d);
	return status;
}
