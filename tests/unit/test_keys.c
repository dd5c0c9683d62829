/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every character of a keyboard has its key, and what has none is put in together.
 */
#include "browser/keys.h"
#include "browser/network.h"
#include "browser/picture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void expect_key(char c, const char *code, int number, bool shift)
{
	struct key key;

	assert_true(key_find(c, &key));
	assert_string_equal(key.code, code);
	assert_int_equal(key.number, number);
	assert_int_equal(key.shift, shift);
	assert_int_equal(key.text[0], c);
	assert_int_equal(key.name[0], c);
}

static void characters_have_keys(void **state)
{
	struct key key;

	(void)state;
	expect_key('a', "KeyA", 65, false);
	expect_key('Z', "KeyZ", 90, true);
	expect_key('1', "Digit1", 49, false);
	expect_key('!', "Digit1", 49, true);
	expect_key('?', "Slash", 191, true);
	expect_key(' ', "Space", 32, false);
	for (int c = 0x20; c < 0x7f; c++)
		assert_true(key_find((char)c, &key));
	assert_true(key_find('\n', &key));
	assert_string_equal(key.name, "Enter");
	assert_string_equal(key.text, "\r");
	assert_true(key_find('\t', &key));
	assert_string_equal(key.text, "");
	for (int c = 0; c < 0x20; c++)
		assert_int_equal(key_find((char)c, &key), c == '\n' || c == '\r' || c == '\t');
	assert_false(key_find('\x7f', &key));
	assert_false(key_find('\xc3', &key));
}

static void text_is_typed_in_parts(void **state)
{
	(void)state;
	assert_int_equal(key_next(STR("")), 0);
	assert_int_equal(key_next(STR("ab")), 1);
	assert_int_equal(key_next(STR("\r\nb")), 2);
	assert_int_equal(key_next(STR("\rb")), 1);
	assert_int_equal(key_next(STR("\xc3\xa9\xf0\x9f\x98\x80!")), 6);
	assert_int_equal(key_next(STR("\xc3\xa9")), 2);
	assert_int_equal(key_next(STR("\x01z")), 1);
}

static void sizes_of_pictures(void **state)
{
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x05\0\0\0\x02\xd0";
	static const char jpeg[] = "\xff\xd8\xff\xe0\0\x04xx\xff\xc4\0\x03y\xff\xc0\0\x11\x08\x01\x02\x03\x04";
	int64_t width = 0, height = 0;

	(void)state;
	assert_int_equal(picture_size((struct str){ png, sizeof png - 1 }, &width, &height), 0);
	assert_true(width == 1280 && height == 720);
	assert_int_equal(picture_size((struct str){ jpeg, sizeof jpeg - 1 }, &width, &height), 0);
	assert_true(width == 0x304 && height == 0x102);
	for (size_t len = 0; len < sizeof jpeg - 1; len++)
		assert_int_equal(picture_size((struct str){ jpeg, len }, &width, &height), -EINVAL);
	for (size_t len = 0; len < sizeof png - 1; len++)
		assert_int_equal(picture_size((struct str){ png, len }, &width, &height), -EINVAL);
}

static void pages_of_documents(void **state)
{
	(void)state;
	assert_true(picture_pages(STR("1 0 obj\n<</Type /Pages\n/Count 8\n/Kids []>>\nendobj\n"
				      "2 0 obj <</Type /Pages /Kids [1 0 R] /Count 21>> endobj")) == 21);
	assert_true(picture_pages(STR("<</Type /Pages")) == 0);
	assert_true(picture_pages(STR("<</Type /Pages endobj /Count 3")) == 0);
	assert_true(picture_pages(STR("")) == 0);
}

static void requests_are_counted_once(void **state)
{
	static struct network n;

	(void)state;
	network_reset(&n, 5);
	network_begin(&n, STR("a"));
	network_begin(&n, STR("b"));
	network_begin(&n, STR("a"));
	assert_int_equal(n.count, 2);
	network_end(&n, STR("c"), 6);
	assert_true(n.count == 2 && n.quiet_since_ns == 5);
	network_end(&n, STR("a"), 7);
	network_end(&n, STR("a"), 8);
	assert_true(n.count == 1 && n.quiet_since_ns == 7);
	for (char i = 0; i < 100; i++) {
		for (char j = 0; j < 100; j++)
			network_begin(&n, (struct str){ (char[]){ i, j }, 2 });
	}
	assert_int_equal(n.count, NETWORK_REQUESTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_have_keys),
		cmocka_unit_test(text_is_typed_in_parts),
		cmocka_unit_test(sizes_of_pictures),
		cmocka_unit_test(pages_of_documents),
		cmocka_unit_test(requests_are_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
