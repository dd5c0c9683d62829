/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/url.c: targets in every form, queries, escapes.
 * Property: a target that was accepted, written again from its parts, gives the same parts;
 * so do the pairs of a query.
 */
#include "wire/url.h"

#include "base/buf.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 20 };

static void check_path(struct arena *arena, const struct url *url)
{
	AUTOBUF struct buf text = { .limit = LIMIT };
	struct str authority;
	struct url again;

	buf_adds(&text, "/");
	for (size_t i = 0; i < url->count; i++) {
		assert(url->segments[i].len && !str_has(url->segments[i], '\0'));
		url_encode(&text, url->segments[i], false);
		buf_adds(&text, "/");
	}
	assert(url_parse(arena, buf_str(&text), &again, &authority) == 0);
	assert(again.count == url->count && authority.len == 0 && again.query.len == 0 && !again.too_deep);
	for (size_t i = 0; i < url->count; i++)
		assert(str_eq(again.segments[i], url->segments[i]));
}

static void check_query(struct arena *arena, struct str query)
{
	struct url_pair pair, again;

	while (url_query_next(arena, &query, &pair) == 1) {
		AUTOBUF struct buf text = { .limit = LIMIT };
		struct str rest;

		url_encode(&text, pair.name, true);
		buf_adds(&text, pair.has_value ? "=" : "");
		url_encode(&text, pair.value, true);
		rest = buf_str(&text);
		assert(url_query_next(arena, &rest, &again) == 1 && rest.len == 0);
		assert(str_eq(pair.name, again.name) && str_eq(pair.value, again.value));
		assert(pair.has_value == again.has_value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str target = { (const char *)data, size }, authority;
	struct arena arena;
	struct url url;

	arena_init(&arena, LIMIT);
	if (url_parse(&arena, target, &url, &authority) == 0) {
		assert(url.count <= URL_SEGMENTS_MAX && !str_has(authority, '@'));
		check_path(&arena, &url);
		check_query(&arena, url.query);
	}
	check_query(&arena, target);
	arena_free(&arena);
	return 0;
}
