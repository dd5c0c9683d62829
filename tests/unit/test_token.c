/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void digests(void **state)
{
	uint8_t hash[TOKEN_HASH_SIZE], parsed[TOKEN_HASH_SIZE] = { 0 }, before[TOKEN_HASH_SIZE];

	(void)state;
	/* FIPS 180-2, appendix B.1. */
	token_digest(STR("abc"), hash);
	assert_int_equal(
		token_parse_digest(STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), parsed), 0);
	assert_memory_equal(hash, parsed, sizeof hash);
	assert_int_equal(
		token_parse_digest(STR("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"), parsed), 0);
	memcpy(before, parsed, sizeof before);
	assert_true(
		token_parse_digest(STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"), parsed) < 0);
	assert_true(token_parse_digest(
			    STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015adaa"), parsed) < 0);
	assert_true(token_parse_digest(
			    STR("ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), parsed) < 0);
	assert_true(token_parse_digest(STR(""), parsed) < 0);
	assert_memory_equal(parsed, before, sizeof before);
}

static void finding(void **state)
{
	uint8_t hashes[3][TOKEN_HASH_SIZE], one[TOKEN_HASH_SIZE];

	(void)state;
	token_digest(STR("a"), hashes[0]);
	token_digest(STR("b"), hashes[1]);
	token_digest(STR("c"), hashes[2]);
	for (ptrdiff_t i = 0; i < 3; i++) {
		memcpy(one, hashes[i], sizeof one);
		assert_int_equal(token_find((const uint8_t(*)[TOKEN_HASH_SIZE])hashes, 3, one), i);
		one[TOKEN_HASH_SIZE - 1] ^= 1;
		assert_int_equal(token_find((const uint8_t(*)[TOKEN_HASH_SIZE])hashes, 3, one), -1);
	}
	assert_int_equal(token_find((const uint8_t(*)[TOKEN_HASH_SIZE])hashes, 0, hashes[0]), -1);
	assert_true(token_equal(STR("same"), STR("same")));
	assert_false(token_equal(STR("same"), STR("samf")));
	assert_false(token_equal(STR("same"), STR("same\0")));
}

static void times(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: refused */
	} cases[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2027-01-01T00:00:00Z", 1798761600 },
		{ "2027-01-01", 1798761600 },
		{ "2027-01-01 00:00:00Z", 1798761600 },
		{ "2027-01-01t00:00:00z", 1798761600 },
		{ "2027-01-01T00:00:00.999Z", 1798761600 },
		{ "2027-01-01T01:00:00+01:00", 1798761600 },
		{ "2026-12-31T22:30:00-01:30", 1798761600 },
		{ "2028-02-29T00:00:00Z", 1835395200 },
		{ "2027-02-29T00:00:00Z", -1 },
		{ "2027-13-01T00:00:00Z", -1 },
		{ "2027-00-01T00:00:00Z", -1 },
		{ "2027-01-00", -1 },
		{ "2027-01-01T24:00:00Z", -1 },
		{ "2027-01-01T00:60:00Z", -1 },
		{ "2027-01-01T00:00:00", -1 },
		{ "2027-01-01T00:00Z", -1 },
		{ "2027-01-01T00:00:00.Z", -1 },
		{ "2027-01-01T00:00:00Zx", -1 },
		{ "2027-01-01T00:00:00+1:00", -1 },
		{ "2027-01-01T00:00:00+24:00", -1 },
		{ "27-01-01", -1 },
		{ "+027-01-01", -1 },
		{ "never", -1 },
		{ "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t seconds = -1;
		int status = token_parse_time(str_of(cases[i].text), &seconds);

		if (seconds != cases[i].seconds || (status < 0) != (cases[i].seconds < 0))
			fail_msg("'%s' is %lld", cases[i].text, (long long)seconds);
	}
}

static void shapes(void **state)
{
	static const struct {
		struct str secret;
		const char *says; /* NULL: fine */
	} cases[] = {
		{ { "t", 1 }, NULL },
		{ { "a b+/=~", 7 }, NULL },
		{ { "", 0 }, "the token is empty" },
		{ { "   ", 3 }, "the token is empty" },
		{ { " \t", 2 }, "the token is empty" },
		{ { "a ", 2 }, "blank" },
		{ { " a", 2 }, "blank" },
		{ { "a\nb", 3 }, "control" },
		{ { "a\0b", 3 }, "control" },
		{ { "a\x7f", 2 }, "control" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int status = token_check(cases[i].secret, "the token", &err);

		assert_int_equal(status, cases[i].says ? -1 : 0);
		if (cases[i].says)
			assert_non_null(strstr(err.text, cases[i].says));
	}
}

/* Writes bytes to a file and reads it as a token file. */
static char *read_back(const char *bytes, size_t len, struct err *err)
{
	char path[] = "/tmp/abx-test-token-XXXXXX";
	AUTOCLOSE int fd = mkstemp(path);
	char *secret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	secret = token_read_file(path, err);
	assert_int_equal(unlink(path), 0);
	return secret;
}

static void check_file(const char *bytes, size_t len, const char *wanted, const char *says)
{
	struct err err = { 0 };
	AUTOFREE char *secret = read_back(bytes, len, &err);

	if (wanted) {
		assert_non_null(secret);
		assert_string_equal(secret, wanted);
	} else {
		assert_null(secret);
		assert_non_null(strstr(err.text, says));
	}
}

static void files(void **state)
{
	static char large[TOKEN_BYTES_MAX + 100];
	struct err err;

	(void)state;
	check_file("secret", 6, "secret", NULL);
	check_file("secret\n", 7, "secret", NULL);
	check_file("secret\r\n", 8, "secret", NULL);
	check_file("", 0, NULL, "is empty");
	check_file("\n", 1, NULL, "is empty");
	check_file("  \n", 3, NULL, "is empty");
	check_file("a\nb\n", 4, NULL, "control");
	check_file("secret\n\n", 8, NULL, "control");
	memset(large, 'x', sizeof large);
	check_file(large, sizeof large, NULL, "longer");
	assert_null(token_read_file("/nonexistent/token", &err));
	assert_non_null(strstr(err.text, "'/nonexistent/token' cannot be read: no such file"));
	assert_null(token_read_file("/tmp", &err));
	assert_non_null(strstr(err.text, "cannot be read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(digests), cmocka_unit_test(finding),
		cmocka_unit_test(times), cmocka_unit_test(shapes), cmocka_unit_test(files) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
