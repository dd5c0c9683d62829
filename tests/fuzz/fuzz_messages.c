/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches browser/messages.c and browser/span.c, and what reads the console's events with them.
 * Properties: pieces of any size give the messages of the whole; no message is longer than its room;
 * what was mended is read by the strict parser wherever the text was JSON of moderate depth.
 */
#include "browser/console.h"
#include "browser/messages.h"
#include "browser/span.h"

#include "base/json.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STORY_MAX = 1 << 22, ROOM = 700, ARENA_MAX = 1 << 22 };

static struct buf *story;

static size_t room(struct messages *m, struct str head)
{
	(void)m;
	assert(head.len <= MESSAGE_HEAD);
	return head.len && head.p[0] == '{' ? ROOM : 10;
}

static void walk(char *text, struct str object)
{
	static const char *const keys[] = { "id", "result", "params", "a" };
	struct str list = object, element;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct str value = span_get(object, keys[i]);

		assert(!value.p || (value.p >= text && value.len && span_integer(value, 3) <= INT64_MAX));
	}
	while ((element = span_next(&list)).p)
		assert(element.len && span_depth(element) <= element.len);
}

static void check_mended(struct str message)
{
	AUTOFREE char *copy = malloc(message.len + 1);
	struct json_error error;
	struct arena arena;
	struct json *tree;
	struct str rest, value;

	memcpy(copy, message.p, message.len);
	copy[message.len] = '\0';
	rest = (struct str){ copy, message.len };
	value = span_cut(&rest);
	arena_init(&arena, ARENA_MAX);
	if (value.p) {
		span_mend(copy, value);
		/* Only what the parser says about surrogates is of interest: there are none alone any more. */
		if (json_parse(&arena, copy, message.len, &tree, &error) < 0)
			assert(!strstr(error.reason, "surrogate"));
	}
	arena_free(&arena);
}

static void on_message(struct messages *m, struct buf *text)
{
	struct str whole = buf_str(text), rest = whole, value = span_cut(&rest), unescaped;

	(void)m;
	assert(text->len <= ROOM && text->data[text->len] == '\0');
	buf_addc(story, '=');
	buf_add(story, text->data, text->len);
	walk(text->data, whole);
	check_mended(whole);
	console_add_call(whole, text->data);
	unescaped = span_text(text->data, value);
	assert(!unescaped.p || unescaped.len + 2 <= value.len);
}

static void on_cut(struct messages *m, struct str head, bool starved)
{
	(void)m;
	assert(!starved);
	buf_addc(story, '-');
	buf_add(story, head.p, head.len);
}

static const struct messages_events events = { room, on_message, on_cut };

static void read_pieces(struct str bytes, size_t step, struct buf *to)
{
	struct messages m;

	story = to;
	messages_init(&m, &events);
	for (size_t at = 0; at < bytes.len; at += step)
		messages_add(&m, (struct str){ bytes.p + at, MIN(step, bytes.len - at) });
	messages_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { size ? (const char *)data + 1 : "", size ? size - 1 : 0 };
	AUTOBUF struct buf whole = { .limit = STORY_MAX };
	AUTOBUF struct buf pieces = { .limit = STORY_MAX };

	read_pieces(bytes, bytes.len + 1, &whole);
	read_pieces(bytes, size ? (size_t)data[0] + 1 : 1, &pieces);
	assert(str_eq(buf_str(&whole), buf_str(&pieces)));
	console_clear();
	return 0;
}
