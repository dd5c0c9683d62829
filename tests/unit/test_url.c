/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets and queries: what is split before and what after decoding, and what is refused.
 */
#include "wire/url.h"

#include "base/buf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ARENA_LIMIT = 64 * 1024 };

static struct arena arena;

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, ARENA_LIMIT);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The segments joined by '|', so that one literal shows them all. */
static void check_path(const char *target, const char *joined)
{
	AUTOBUF struct buf got = { .limit = 4096 };
	struct str authority;
	struct url url;

	assert_int_equal(url_parse(&arena, str_of(target), &url, &authority), 0);
	for (size_t i = 0; i < url.count; i++) {
		buf_adds(&got, i ? "|" : "");
		buf_add(&got, url.segments[i].p, url.segments[i].len);
	}
	buf_adds(&got, "");
	assert_string_equal(got.data, joined);
}

static void check_refused(const char *target)
{
	struct str authority;
	struct url url;

	assert_int_equal(url_parse(&arena, str_of(target), &url, &authority), -EINVAL);
}

static void test_paths(void **state)
{
	(void)state;
	check_path("/", "");
	check_path("///", "");
	check_path("*", "");
	check_path("/a", "a");
	check_path("/a/b/", "a|b");
	check_path("//files//list", "files|list");
	check_path("/a%2Fb/c", "a/b|c");
	check_path("/a%2fb", "a/b");
	check_path("/%2541", "%41");
	check_path("/%41%c3%a9", "A\xc3\xa9");
	check_path("/a+b", "a+b");
	check_path("/./../%2e%2E", ".|..|..");
	check_path("/a;b=c,d", "a;b=c,d");
	check_path("/?a/b", "");
	check_path("/a?b?c", "a");
	check_path("/a%3Fb", "a?b");
}

static void test_depth(void **state)
{
	struct str authority;
	struct url url;

	(void)state;
	assert_int_equal(url_parse(&arena, STR("/1/2/3/4/5/6/7/8/"), &url, &authority), 0);
	assert_true(url.count == URL_SEGMENTS_MAX && !url.too_deep);
	assert_int_equal(url_parse(&arena, STR("/1/2/3/4/5/6/7/8/9?q"), &url, &authority), 0);
	assert_true(url.count == URL_SEGMENTS_MAX && url.too_deep);
	assert_true(str_is(url.query, "q"));
	check_refused("/1/2/3/4/5/6/7/8/%");
}

static void test_absolute_form(void **state)
{
	struct str authority;
	struct url url;

	(void)state;
	assert_int_equal(url_parse(&arena, STR("HTTP://Host:80/a?b"), &url, &authority), 0);
	assert_true(str_is(authority, "Host:80"));
	assert_true(url.count == 1 && str_is(url.segments[0], "a") && str_is(url.query, "b"));
	assert_int_equal(url_parse(&arena, STR("https://[::1]"), &url, &authority), 0);
	assert_true(str_is(authority, "[::1]") && url.count == 0);
	assert_int_equal(url_parse(&arena, STR("http://h?q"), &url, &authority), 0);
	assert_true(str_is(authority, "h") && str_is(url.query, "q"));
	assert_int_equal(url_parse(&arena, STR("/http://h/"), &url, &authority), 0);
	assert_int_equal(authority.len, 0);
	check_refused("http:///a");
	check_refused("http://");
	check_refused("http://user@host/");
	check_refused("http://user:p@host/");
	check_refused("http:/a");
	check_refused("ftp://a/b");
	check_refused("file:///etc");
}

static void test_refused(void **state)
{
	struct str authority;
	struct url url;

	(void)state;
	check_refused("");
	check_refused("a");
	check_refused("host:443");
	check_refused("**");
	check_refused("*/a");
	check_refused("?a");
	check_refused("/a#b");
	check_refused("/%");
	check_refused("/%4");
	check_refused("/%zz");
	check_refused("/%4g");
	check_refused("/%u0041");
	check_refused("/%/41");
	check_refused("/%00");
	check_refused("/a%00b");
	assert_int_equal(url_parse(&arena, STR("/a\0b"), &url, &authority), -EINVAL);
}

static void test_nothing_is_written_on_refusal(void **state)
{
	struct str authority = STR("kept");
	struct url url = { .count = 77 };

	(void)state;
	assert_int_equal(url_parse(&arena, STR("http://a/%"), &url, &authority), -EINVAL);
	assert_true(url.count == 77 && str_is(authority, "kept"));
}

/* The pairs as "name=value" or "name" joined by '|'; the result of the last call. */
static int join_pairs(struct str query, struct buf *got)
{
	struct url_pair pair;
	int r;

	buf_init(got, 4096);
	while ((r = url_query_next(&arena, &query, &pair)) == 1) {
		buf_adds(got, got->len ? "|" : "");
		buf_add(got, pair.name.p, pair.name.len);
		buf_adds(got, pair.has_value ? "=" : "");
		buf_add(got, pair.value.p, pair.value.len);
		assert_true(pair.has_value || pair.value.len == 0);
	}
	buf_adds(got, "");
	return r;
}

static void check_query(const char *query, const char *joined)
{
	AUTOBUF struct buf got = { 0 };

	assert_int_equal(join_pairs(str_of(query), &got), 0);
	assert_string_equal(got.data, joined);
}

static void test_queries(void **state)
{
	(void)state;
	check_query("", "");
	check_query("&&", "");
	check_query("a=b", "a=b");
	check_query("a", "a");
	check_query("a=", "a=");
	check_query("=b", "=b");
	check_query("=", "=");
	check_query("&a=b&&c=d&", "a=b|c=d");
	check_query("a=b=c", "a=b=c");
	check_query("a+b=c+d%2Be", "a b=c d+e");
	check_query("a%26b=c%3Dd", "a&b=c=d");
	check_query("a=%2541", "a=%41");
	check_query("a=b;c=d", "a=b;c=d");
	check_query("path=%2Ftmp%2Fx&path=y", "path=/tmp/x|path=y");
	check_query("a=%ff%FE", "a=\xff\xfe");
	check_query("a=/?:@", "a=/?:@");
}

static void test_bad_queries(void **state)
{
	static const char *const bad[] = { "%", "a=%", "a=%4", "a=%zz", "a%00=b", "a=%00", "a=b&c=%0", "a=%%34" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTOBUF struct buf got = { 0 };

		assert_int_equal(join_pairs(str_of(bad[i]), &got), -EINVAL);
	}
}

static void test_memory_is_bounded(void **state)
{
	AUTOBUF struct buf text = { .limit = 8 * ARENA_LIMIT };
	struct str authority, query;
	struct url_pair pair;
	struct url url;

	(void)state;
	buf_adds(&text, "/");
	for (size_t i = 0; i < ARENA_LIMIT / 2; i++)
		buf_adds(&text, "%41");
	assert_int_equal(url_parse(&arena, buf_str(&text), &url, &authority), -ENOMEM);
	query = buf_str(&text);
	assert_int_equal(url_query_next(&arena, &query, &pair), -ENOMEM);
}

static void test_encode(void **state)
{
	AUTOBUF struct buf out = { .limit = 4096 }, all = { .limit = 4096 };
	char bytes[255];
	struct str query;
	struct url_pair pair;

	(void)state;
	url_encode(&out, STR("aZ09-._~/ +%\xff\0"), false);
	assert_true(str_is(buf_str(&out), "aZ09-._~%2F%20%2B%25%FF%00"));
	buf_truncate(&out, 0);
	url_encode(&out, STR("/a b/"), true);
	assert_true(str_is(buf_str(&out), "/a%20b/"));
	for (int i = 0; i < 255; i++)
		bytes[i] = (char)(i + 1);
	url_encode(&all, (struct str){ bytes, sizeof bytes }, false);
	query = buf_str(&all);
	assert_int_equal(url_query_next(&arena, &query, &pair), 1);
	assert_true(str_eq(pair.name, (struct str){ bytes, sizeof bytes }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_paths, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_absolute_form, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_is_written_on_refusal, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_queries, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bad_queries, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_memory_is_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_encode, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
