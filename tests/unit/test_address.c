/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of servers: what is one, what it means, and what is none.
 */
#include "cli/address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct address address;
static struct problem problem;

static void test_tcp(void **state)
{
	static const struct {
		const char *url, *host, *port, *prefix, *authority;
	} rows[] = {
		{ "http://127.0.0.1:9000", "127.0.0.1", "9000", "", "127.0.0.1:9000" },
		{ "http://localhost:9000/", "localhost", "9000", "", "localhost:9000" },
		{ "localhost:9000", "localhost", "9000", "", "localhost:9000" },
		{ "http://h", "h", "80", "", "h:80" },
		{ "http://[::1]:9000", "::1", "9000", "", "[::1]:9000" },
		{ "[::1]:1/x", "::1", "1", "/x", "[::1]:1" },
		{ "http://[fe80::1%25lo]", "fe80::1%25lo", "80", "", "[fe80::1%25lo]:80" },
		{ "http://h:65535/a/b//", "h", "65535", "/a/b", "h:65535" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(address_parse(&address, rows[i].url, &problem), 0);
		assert_int_equal(address.kind, ADDRESS_TCP);
		assert_string_equal(address.host, rows[i].host);
		assert_string_equal(address.port, rows[i].port);
		assert_string_equal(address.prefix, rows[i].prefix);
		assert_string_equal(address.authority, rows[i].authority);
		assert_string_equal(address_text(&address), rows[i].authority);
	}
}

static void test_unix(void **state)
{
	char longest[128] = "unix:/";

	(void)state;
	assert_int_equal(address_parse(&address, "unix:/run/a b", &problem), 0);
	assert_int_equal(address.kind, ADDRESS_UNIX);
	assert_string_equal(address.path, "/run/a b");
	assert_string_equal(address_text(&address), "unix:/run/a b");
	memset(longest + 6, 'x', 106);
	assert_int_equal(address_parse(&address, longest, &problem), 0);
	longest[6 + 106] = 'x';
	assert_int_equal(address_parse(&address, longest, &problem), -1);
}

static void test_refused(void **state)
{
	static const char *const urls[] = {
		"",
		"http://",
		"http:///x",
		":9000",
		"h:",
		"h:0",
		"h:65536",
		"h:-1",
		"h:1x",
		"h:99999999999999999999",
		"a:b:1",
		"::1",
		"[::1",
		"[::1]x",
		"[]:1",
		"http://u@h",
		"http://h h",
		"http://h\r\n:1",
		"http://h:1/a b",
		"http://h:1/a?b",
		"http://h#x",
		"https://h",
		"ftp://h",
		"unix:",
		"unix:x",
		"http://h:1/\xc3\xa9",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		problem_clear(&problem);
		assert_int_equal(address_parse(&address, urls[i], &problem), -1);
		assert_int_equal(problem.exit_code, EXIT_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_unix),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
