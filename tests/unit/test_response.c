/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The response head: what is taken, what is refused, and that pieces change nothing.
 */
#include "cli/response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define OK "HTTP/1.1 200 OK\r\n"

static struct response response;

/* Over a copy of the exact size, so that a sanitizer sees a byte read too far. */
static ssize_t parse_cut(struct str bytes, size_t len)
{
	char *copy = malloc(len + !len);
	ssize_t r;

	memcpy(copy, bytes.p, len);
	r = response_parse((struct str){ copy, len }, &response);
	free(copy);
	return r;
}

static ssize_t parse(struct str bytes)
{
	ssize_t whole = response_parse(bytes, &response), part;

	for (size_t cut = 0; cut < bytes.len; cut++) {
		part = parse_cut(bytes, cut);
		/* A beginning is unfinished, or already refused, or has all that the whole has. */
		if (whole >= 0)
			assert_int_equal(part, cut >= (size_t)whole ? whole : 0);
		else
			assert_true(part <= 0);
	}
	assert_int_equal(response_parse(bytes, &response), whole);
	assert_true((response.reason != NULL) == (whole < 0));
	return whole;
}

static void taken(struct str bytes)
{
	assert_int_equal(parse(bytes), bytes.len);
}

static void refused(struct str bytes)
{
	assert_true(parse(bytes) < 0);
}

static void test_plain(void **state)
{
	(void)state;
	taken(STR(OK
		"Content-Type: application/json; charset=utf-8\r\nContent-Length: 12\r\nX-Request-Id:\t a b \r\n\r\n"));
	assert_int_equal(response.status, 200);
	assert_int_equal(response.minor, 1);
	assert_true(response.has_length && !response.chunked && response.keep_alive);
	assert_int_equal(response.length, 12);
	assert_true(response_is_type(&response, "Application/JSON"));
	assert_false(response_is_type(&response, "application"));
	assert_true(str_is(response_get(&response, "x-request-id"), "a b"));
	assert_null(response_get(&response, "Date").p);
}

static void test_what_follows_is_left(void **state)
{
	(void)state;
	assert_int_equal(parse(STR(OK "\r\nbody")), sizeof OK "\r\n" - 1);
}

static void test_status_lines(void **state)
{
	(void)state;
	taken(STR("HTTP/1.0 404\r\n\r\n"));
	assert_int_equal(response.status, 404);
	assert_false(response.keep_alive);
	taken(STR("HTTP/1.1 100 \r\n\r\n"));
	refused(STR("HTTP/2 200\r\n\r\n"));
	refused(STR("HTTP/1.1 20\r\n\r\n"));
	refused(STR("HTTP/1.1 2000\r\n\r\n"));
	refused(STR("HTTP/1.1  200\r\n\r\n"));
	refused(STR("HTTP/1.1 099\r\n\r\n"));
	refused(STR("http/1.1 200 OK\r\n\r\n"));
	refused(STR(" HTTP/1.1 200 OK\r\n\r\n"));
	refused(STR("ICY 200 OK\r\n\r\n"));
	refused(STR("\r\n\r\n"));
}

static void test_lines(void **state)
{
	(void)state;
	refused(STR("HTTP/1.1 200 OK\n\n"));
	refused(STR(OK "A: b\n\r\n"));
	refused(STR(OK "A: b\rc\r\n\r\n"));
	refused(STR(OK "A: \0\r\n\r\n"));
	refused(STR(OK "A: b\r\n folded\r\n\r\n"));
	refused(STR(OK "A : b\r\n\r\n"));
	refused(STR(OK ": b\r\n\r\n"));
	refused(STR(OK "no colon\r\n\r\n"));
	taken(STR(OK "A:\r\n\r\n"));
	taken(STR(OK "A: b:c\r\n\r\n"));
	assert_true(str_is(response_get(&response, "A"), "b:c"));
}

static void test_framing(void **state)
{
	(void)state;
	taken(STR(OK "Transfer-Encoding: Chunked\r\n\r\n"));
	assert_true(response.chunked && !response.has_length);
	taken(STR(OK "\r\n"));
	assert_true(!response.chunked && !response.has_length);
	taken(STR(OK "Content-Length: 999999999999999999\r\n\r\n"));
	refused(STR(OK "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"));
	refused(STR(OK "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
	refused(STR(OK "Transfer-Encoding: gzip, chunked\r\n\r\n"));
	refused(STR(OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"));
	refused(STR(OK "Content-Length: -1\r\n\r\n"));
	refused(STR(OK "Content-Length: 1, 1\r\n\r\n"));
	refused(STR(OK "Content-Length: \r\n\r\n"));
	refused(STR(OK "Content-Length: 9999999999999999999\r\n\r\n"));
}

static void test_keep_alive(void **state)
{
	(void)state;
	taken(STR(OK "Connection: Close\r\n\r\n"));
	assert_false(response.keep_alive);
	taken(STR("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n"));
	assert_true(response.keep_alive);
}

static void test_limits(void **state)
{
	size_t len = RESPONSE_HEAD_MAX;
	char *bytes = malloc(len);

	(void)state;
	memset(bytes, 'x', len);
	memcpy(bytes, OK "A: ", sizeof OK "A: " - 1);
	memcpy(bytes + len - 4, "\r\n\r\n", 4);
	assert_int_equal(response_parse((struct str){ bytes, len }, &response), len);
	bytes[len - 4] = 'x';
	bytes[len - 3] = 'x';
	assert_true(response_parse((struct str){ bytes, len }, &response) < 0);
	assert_int_equal(response_parse((struct str){ bytes, len / 2 }, &response), 0);
	free(bytes);
}

static void test_count_of_fields(void **state)
{
	char bytes[1024] = OK;
	size_t len = sizeof OK - 1;

	(void)state;
	for (size_t i = 0; i < RESPONSE_FIELDS_MAX; i++, len += 4)
		memcpy(bytes + len, "A:\r\n", 4);
	memcpy(bytes + len, "\r\n", 2);
	taken((struct str){ bytes, len + 2 });
	assert_int_equal(response.count, RESPONSE_FIELDS_MAX);
	memcpy(bytes + len, "A:\r\n\r\n", 6);
	refused((struct str){ bytes, len + 6 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_what_follows_is_left),
		cmocka_unit_test(test_status_lines),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_framing),
		cmocka_unit_test(test_keep_alive),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_count_of_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
