/* SPDX-License-Identifier: Apache-2.0 */
/* However bytes are cut, their text is the same, whole characters only, and replaced ones are told. */
#include "journal/text.h"

#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* An independent decoder by the table of RFC 3629 and the maximal-part rule of Unicode, byte by byte. */
static size_t part_len(const unsigned char *p, size_t len, bool *ret_valid)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t need, i;

	*ret_valid = p[0] < 0x80;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 1;
	need = p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
	if (p[0] == 0xe0)
		low = 0xa0;
	if (p[0] == 0xed)
		high = 0x9f;
	if (p[0] == 0xf0)
		low = 0x90;
	if (p[0] == 0xf4)
		high = 0x8f;
	for (i = 1; i <= need && i < len && p[i] >= low && p[i] <= high; i++) {
		low = 0x80;
		high = 0xbf;
	}
	*ret_valid = i == need + 1;
	return i;
}

static bool expected_text(const unsigned char *p, size_t len, struct buf *out)
{
	bool lossy = false;

	while (len > 0) {
		bool valid;
		size_t part = part_len(p, len, &valid);

		buf_add(out, valid ? (const char *)p : "\xef\xbf\xbd", valid ? part : 3);
		lossy |= !valid;
		p += part;
		len -= part;
	}
	buf_addc(out, '\0');
	return lossy;
}

static void check_cut(const unsigned char *bytes, size_t len, unsigned cuts)
{
	struct buf expected CLEANUP(cleanup_buf), out CLEANUP(cleanup_buf);
	struct text t = { 0 };
	bool lossy;
	size_t from = 0;

	buf_init(&expected, 4096);
	buf_init(&out, 4096);
	lossy = expected_text(bytes, len, &expected);
	for (size_t i = 1; i <= len; i++) {
		if (i < len && !(cuts >> (i - 1) & 1))
			continue;
		text_add(&t, (struct str){ (const char *)bytes + from, i - from }, &out);
		assert_true(t.held_len <= TEXT_HELD_MAX);
		assert_true(utf8_valid(buf_str(&out)));
		from = i;
	}
	text_end(&t, &out);
	buf_addc(&out, '\0');
	if (out.len != expected.len || memcmp(out.data, expected.data, out.len) != 0 || t.lossy != lossy) {
		for (size_t i = 0; i < len; i++)
			print_message("%02x ", bytes[i]);
		fail_msg("cut %x: '%s' is not '%s'", cuts, out.data, expected.data);
	}
}

/* One byte of each kind that the rules tell apart. */
static const unsigned char kinds[] = { 'a', 0x00, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
	0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff };

static void test_all_short_texts_in_all_cuts(void **state)
{
	enum { LEN = 4 };
	size_t total = 1;

	(void)state;
	for (size_t i = 0; i < LEN; i++)
		total *= ARRAY_LEN(kinds);
	for (size_t n = 0; n < total; n++) {
		unsigned char bytes[LEN];
		size_t rest = n;

		for (size_t i = 0; i < LEN; i++, rest /= ARRAY_LEN(kinds))
			bytes[i] = kinds[rest % ARRAY_LEN(kinds)];
		for (unsigned cuts = 0; cuts < 1u << (LEN - 1); cuts++)
			check_cut(bytes, LEN, cuts);
	}
}

static void test_random_texts(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		unsigned char bytes[16];

		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = kinds[(size_t)rand_r(&seed) % ARRAY_LEN(kinds)];
		check_cut(bytes, sizeof bytes, (unsigned)rand_r(&seed));
	}
}

static void test_a_limit_drops_the_character_that_it_cuts(void **state)
{
	struct buf out CLEANUP(cleanup_buf);
	struct text t = { 0 };

	(void)state;
	buf_init(&out, 64);
	text_add(&t, STR("\xc3\xa9\xc3\xa9\xc3"), &out);
	assert_int_equal(t.held_len, 1);
	text_drop(&t);
	text_end(&t, &out);
	assert_false(t.lossy);
	assert_true(str_is(buf_str(&out), "\xc3\xa9\xc3\xa9"));
}

static void test_an_end_inside_a_character_is_told(void **state)
{
	struct buf out CLEANUP(cleanup_buf);
	struct text t = { 0 };

	(void)state;
	buf_init(&out, 64);
	text_add(&t, STR("ok\xe2\x82"), &out);
	assert_true(str_is(buf_str(&out), "ok"));
	text_end(&t, &out);
	assert_true(t.lossy);
	assert_true(str_is(buf_str(&out), "ok\xef\xbf\xbd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_short_texts_in_all_cuts),
		cmocka_unit_test(test_random_texts),
		cmocka_unit_test(test_a_limit_drops_the_character_that_it_cuts),
		cmocka_unit_test(test_an_end_inside_a_character_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
