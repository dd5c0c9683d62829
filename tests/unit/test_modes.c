/* SPDX-License-Identifier: Apache-2.0 */
/* Modes are followed and boundaries are seen, however the output is cut. */
#include "wire/modes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect_modes(const char *output, const char *wanted)
{
	struct modes m = { 0 };
	struct buf text;

	buf_init(&text, 1000);
	modes_feed(&m, str_of(output));
	modes_write(&m, false, &text);
	assert_string_equal(text.len ? text.data : "", wanted);
	assert_true(modes_at_boundary(&m));
	buf_free(&text);
}

static void test_what_is_on(void **state)
{
	static const struct {
		const char *output, *wanted;
	} rows[] = {
		{ "plain text", "" }, { "\033[?1049h", "\033[?1049h" }, { "\033[?1049h\033[?1049l", "" },
		{ "\033[?47h\033[?1049l", "" }, /* any of the group switches the screen back */
		{ "\033[?47h\033[?1047h", "\033[?1047h" }, { "\033[?1049h\033[?2004h", "\033[?1049h\033[?2004h" },
		{ "\033[?1;2004h", "\033[?1h\033[?2004h" }, { "\033[?25l", "\033[?25l" }, { "\033[?25l\033[?25h", "" },
		{ "\033[?1000h\033[?1003h\033[?1006h", "\033[?1003h\033[?1006h" },
		{ "\033[?1003h\033[?1006h\033[?1000l", "\033[?1006h" }, { "\033[?1004h", "\033[?1004h" },
		{ "\033[?7h\033[?12l\033[?99999h\033[?;h", "" }, /* not followed */
		{ "\033[1h\033[4l\033[>1h\033[?25$h", "" },      /* not private, or another sequence */
		{ "\033[?25l\033[?1h\033[!p", "" },              /* soft reset */
		{ "\033[?1049h\033[?25l\033[?2004hx\033c", "" }, /* full reset */
		{ "\033]0;\033[?25h title\007\033[?1h", "\033[?1h" }, { "\033P+q\033\\\033[?1h", "\033[?1h" },
		{ "\033]0;abc\033[?25l", "\033[?25l" },  /* ESC ends a string also when it is not ST */
		{ "\033[?2\0305l\033[?1h", "\033[?1h" }, /* CAN ends a sequence */
		{ "\033[?2\n5l", "\033[?25l" },          /* a control character acts inside of one */
		{ "\033[\033[?25l", "\033[?25l" },       /* ESC begins anew */
		{ "\033(0\033[?25l", "\033[?25l" }, { "\xe2\x82\xac\033[?25l", "\033[?25l" },
		{ "\xe2\033[?25l", "\033[?25l" }, /* a character that is none */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		expect_modes(rows[i].output, rows[i].wanted);
}

static void test_leaving(void **state)
{
	static const struct {
		const char *output, *wanted;
	} rows[] = {
		{ "plain", "" },
		{ "\xc3", "" },
		{ "\033[?1049h\033[?25l\033[?1002h\033[?2004h", "\033[?1049l\033[?25h\033[?1002l\033[?2004l" },
		{ "\033[?25l\033]0;title", "\030\033[?25h" },
		{ "\033[?25l\033[1", "\030\033[?25h" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct modes m = { 0 };
		struct buf text;

		buf_init(&text, 1000);
		modes_feed(&m, str_of(rows[i].output));
		modes_leave(&m, &text);
		assert_string_equal(text.len ? text.data : "", rows[i].wanted);
		buf_free(&text);
	}
}

/* More parameters than are kept, and numbers that do not end. */
static void test_endless_parameters(void **state)
{
	struct modes m = { 0 };

	(void)state;
	modes_feed(&m, STR("\033[?"));
	for (int i = 0; i < 100000; i++)
		modes_feed(&m, STR("25;"));
	for (int i = 0; i < 100000; i++)
		modes_feed(&m, STR("9"));
	modes_feed(&m, STR("l"));
	assert_int_not_equal(m.on, 0);
	assert_true(modes_at_boundary(&m));
	assert_int_equal(m.fed, m.boundary);
}

static void test_boundaries(void **state)
{
	/* 1: nothing is in the middle behind this byte. */
	static const struct {
		const char *output, *marks;
	} rows[] = {
		{ "ab\r\n", "1111" },
		{ "\033[1m", "0001" },
		{ "\033]0;t\007x", "0000011" },
		{ "\033]0;t\033\\x", "00000011" },
		{ "\033Pq\007\033\\", "000001" },
		{ "\033(Bx", "0011" },
		{ "\033Mx", "011" },
		{ "\xc3\xa9x", "011" },
		{ "\xf0\x9f\x98\x80", "0001" },
		{ "\xc3x", "01" },
		{ "\xff\x80", "11" },
		{ "\033[3\030", "0001" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct modes m = { 0 };

		for (size_t j = 0; rows[i].output[j]; j++) {
			modes_feed(&m, (struct str){ rows[i].output + j, 1 });
			assert_int_equal(modes_at_boundary(&m), rows[i].marks[j] == '1');
		}
	}
}

static const char SAMPLE[] =
	"$ ls \033[01;34mdir\033[0m\r\n\033[?2004h\xe2\x82\xac\xf0\x9f\x98\x80 \033]8;;http://x/\033\\link\033]8;;\033\\\r\n"
	"\033[?1049h\033[?1;1002;1006h\033P1$r0m\033\\\033[2J\033[Hmore\n\033[?25l\xff\xfe end\n";

static void test_cut_anywhere(void **state)
{
	struct str sample = STR(SAMPLE);
	struct modes whole = { 0 };

	(void)state;
	modes_feed(&whole, sample);
	for (size_t a = 0; a <= sample.len; a++) {
		for (size_t b = a; b <= sample.len; b += 3) {
			struct modes m = { 0 };

			modes_feed(&m, (struct str){ sample.p, a });
			modes_feed(&m, (struct str){ sample.p + a, b - a });
			modes_feed(&m, (struct str){ sample.p + b, sample.len - b });
			assert_memory_equal(&m, &whole, sizeof m);
		}
	}
}

static void test_until_a_line(void **state)
{
	struct str bytes = STR("m\xe2\x82\xac\033[1\n;2mab\ncd\n");
	struct modes m = { 0 };
	bool found;

	(void)state;
	modes_feed(&m, STR("\033[3"));
	assert_int_equal(modes_feed_until(&m, bytes, false, &found), 1);
	assert_true(found);
	assert_int_equal(modes_feed_until(&m, (struct str){ bytes.p + 1, bytes.len - 1 }, true, &found), 13);
	assert_true(found);
	assert_int_equal(modes_feed_until(&m, STR(""), true, &found), 0);
	assert_true(found); /* it is there already */
	modes_feed(&m, STR("a"));
	assert_int_equal(modes_feed_until(&m, STR("c\033["), true, &found), 3);
	assert_false(found);
}

/* Whatever a client had on: afterwards it has what the session has. */
static void test_what_is_off(void **state)
{
	struct modes session = { 0 }, client = { 0 };
	struct buf text;

	(void)state;
	buf_init(&text, 1000);
	modes_feed(&session, STR("\033[?1h\033[?1006h"));
	modes_feed(&client, STR("\033[?1049h\033[?25l\033[?1002h\033[?2004h\033[?1004h"));
	modes_write(&session, true, &text);
	modes_feed(&client, buf_str(&text));
	assert_int_equal(client.on, session.on);
	buf_free(&text);
	modes_feed(&session, STR("\033[?1049h\033[?1003h\033[?25l"));
	modes_write(&session, true, &text);
	modes_feed(&client, buf_str(&text));
	assert_int_equal(client.on, session.on);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_on),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_endless_parameters),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_until_a_line),
		cmocka_unit_test(test_what_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
