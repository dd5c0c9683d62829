/* SPDX-License-Identifier: Apache-2.0 */
/* Base64: the vectors of RFC 4648, both alphabets, and what is refused. */
#include "base/base64.h"

#include <errno.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void vectors(void **state)
{
	(void)state;
	static const char *const rows[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
		{ "ok\xff\xa0", "b2v/oA==" } };
	char bytes[16];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTOBUF struct buf b;
		ssize_t len;

		buf_init(&b, 100);
		base64_encode(&b, str_of(rows[i][0]));
		assert_true(str_is(buf_str(&b), rows[i][1]));
		assert_int_equal(base64_encoded_len(strlen(rows[i][0])), b.len);
		len = base64_decode(bytes, str_of(rows[i][1]));
		assert_true(len >= 0 && str_is((struct str){ bytes, (size_t)len }, rows[i][0]));
	}
}

static void urls_have_their_alphabet_and_no_padding(void **state)
{
	(void)state;
	AUTOBUF struct buf b;
	char bytes[16];

	buf_init(&b, 100);
	base64url_encode(&b, STR("\xfb\xff\xfe\xff"));
	assert_true(str_is(buf_str(&b), "-__-_w"));
	assert_int_equal(base64_decode(bytes, buf_str(&b)), 4);
	assert_memory_equal(bytes, "\xfb\xff\xfe\xff", 4);
	assert_int_equal(base64_decode(bytes, STR("+/_-")), 3);
}

static void anything_else_is_refused(void **state)
{
	(void)state;
	static const char *const rows[] = { "=", "==", "===", "====", "A",
		"A=", "A==", "A===", "AA=", "AAA==", "AAAA=", "AAAA==", "AAAA====", "AA=A", "A=AA", "=AAA",
		"AB==", "AI==", "AAB=", "AB", "AAB", "AA A", " AAAA", "AAAA\n", "AA\nAA", "AA.A", "AA,A", "AA:A",
		"AA@A", "AA[A", "AA^A", "AA`A", "AA{A", "\x80\x80\x80\x80", "AAA\xff", "AA==AAAA" };
	char bytes[16];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(base64_decode(bytes, str_of(rows[i])), -EINVAL);
	assert_int_equal(base64_decode(bytes, STR("AA\0A")), -EINVAL);
	assert_int_equal(base64_decode(bytes, STR("AAAA\0\0\0\0")), -EINVAL);
}

static void every_character_alone(void **state)
{
	(void)state;
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";

	for (int c = 0; c < 256; c++) {
		char text[4] = { 'A', 'A', 'A', (char)c }, bytes[3];
		bool good = c && (strchr(allowed, c) || c == '=');

		assert_int_equal(base64_decode(bytes, (struct str){ text, 4 }) >= 0, good);
	}
}

static void every_length_comes_back_in_place(void **state)
{
	(void)state;
	char bytes[200];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(i * 197 + 13);
	for (size_t len = 0; len <= sizeof bytes; len++) {
		AUTOBUF struct buf b;

		buf_init(&b, 300);
		base64_encode(&b, (struct str){ bytes, len });
		assert_int_equal(b.len, base64_encoded_len(len));
		assert_int_equal(base64_decode(b.data ? b.data : bytes, buf_str(&b)), len);
		if (len)
			assert_memory_equal(b.data, bytes, len);
		buf_free(&b);
		base64url_encode(&b, (struct str){ bytes, len });
		assert_int_equal(base64_decode(b.data ? b.data : bytes, buf_str(&b)), len);
		if (len)
			assert_memory_equal(b.data, bytes, len);
	}
}

static void the_limit_of_the_buffer_holds(void **state)
{
	(void)state;
	AUTOBUF struct buf b;

	buf_init(&b, 7);
	base64_encode(&b, STR("abcd"));
	assert_true(buf_failed(&b));
	buf_free(&b);
	base64_encode(&b, STR("abc"));
	assert_false(buf_failed(&b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(urls_have_their_alphabet_and_no_padding),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(every_character_alone),
		cmocka_unit_test(every_length_comes_back_in_place),
		cmocka_unit_test(the_limit_of_the_buffer_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
