/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches custom/lines.c, message.c and description.c: what a worker may write, in pieces of any
 * size.  Properties: the pieces give the lines of the whole; a description that is taken has
 * names that commands and arguments can have, and defaults of their types.
 */
#include "custom/description.h"
#include "custom/lines.h"
#include "custom/manifest.h"
#include "custom/message.h"

#include "../unit/some_ops.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_LIMIT = 4096, STORY_MAX = 1 << 20 };

static struct buf *story;

static void check_args(const struct args *args)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		assert(arg_name_valid(str_of(arg->name)) && args_find(args, str_of(arg->name)) == arg);
		assert(!(arg->required && arg->def_json));
	}
}

static void check_description(const struct json *result)
{
	char problem[DESCRIPTION_PROBLEM_SIZE] = "";
	struct description *d = description_parse(result, problem);

	assert(!d == (problem[0] != '\0'));
	for (size_t i = 0; d && i < d->count; i++) {
		assert(command_name_valid(d->items[i].name));
		check_args(&d->items[i].args);
	}
	description_unref(d);
}

static bool on_line(struct lines *l, char *line, size_t len)
{
	struct message m;
	struct arena arena;

	(void)l;
	buf_add(story, line, len);
	buf_addc(story, '\n');
	arena_init(&arena, 1 << 24);
	if (!message_parse(&arena, line, len, &m) && m.result)
		check_description(m.result);
	arena_free(&arena);
	return true;
}

static int read_pieces(struct str bytes, size_t step, struct buf *to)
{
	struct lines l;
	int status = 0;

	story = to;
	lines_init(&l, LINE_LIMIT, on_line);
	for (size_t at = 0; at < bytes.len && status == 0; at += step)
		status = lines_add(&l, (struct str){ bytes.p + at, MIN(step, bytes.len - at) });
	lines_free(&l);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOBUF struct buf whole = { .limit = STORY_MAX }, pieces = { .limit = STORY_MAX };
	struct str bytes = { (const char *)data, size };
	int status = read_pieces(bytes, size + 1, &whole);

	assert(read_pieces(bytes, size ? 1 + data[0] % 7 : 1, &pieces) == status);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	return 0;
}
