/* SPDX-License-Identifier: Apache-2.0 */
/* A replay begins and ends between sequences and lines, and knows the modes of its beginning. */
#include "ops/terminal/scrollback.h"

#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void add(struct scrollback *s, const char *text)
{
	scrollback_append(s, str_of(text), UINT64_MAX);
}

static void expect_mode_text(const struct modes *modes, const char *wanted)
{
	struct buf text;

	buf_init(&text, 1000);
	modes_write(modes, false, &text);
	assert_string_equal(text.len ? text.data : "", wanted);
	buf_free(&text);
}

static void test_all_is_kept(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 1000);
	scrollback_replay(&s, &r);
	assert_int_equal(r.begin, 0);
	assert_int_equal(r.end, 0);
	assert_int_equal(r.live, 0);
	add(&s, "half a line \033[?1049h");
	scrollback_replay(&s, &r);
	assert_int_equal(r.begin, 0);
	assert_int_equal(r.end, 20);
	assert_int_equal(r.live, 20);
	expect_mode_text(&r.modes, ""); /* at its beginning; the rest is in it */
	scrollback_free(&s);
}

/* Modes that were switched on in what is gone, and a beginning behind the end of a line. */
static void test_what_is_gone_is_known(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 100);
	add(&s, "\033[?1049h\033[?2004h\033[?25l");
	for (int i = 0; i < 50; i++)
		add(&s, "\033[31m\xe2\x82\xac\xe2\x82\xac line\033[0m\r\n");
	scrollback_replay(&s, &r);
	assert_true(journal_end(s.journal) - journal_start(s.journal) <= 100);
	assert_true(r.begin >= journal_start(s.journal));
	assert_int_equal((journal_end(s.journal) - r.begin) % 22, 0);
	assert_true(r.end - r.begin >= 66);
	expect_mode_text(&r.modes, "\033[?1049h\033[?25l\033[?2004h");
	add(&s, "\033[?1049l");
	for (int i = 0; i < 50; i++)
		add(&s, "more of it\n");
	scrollback_replay(&s, &r);
	expect_mode_text(&r.modes, "\033[?25l\033[?2004h");
	scrollback_free(&s);
}

static void test_unfinished_end(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 1000);
	add(&s, "text\r\n\033]0;ti");
	scrollback_replay(&s, &r);
	assert_int_equal(r.end, 6);
	assert_int_equal(r.live, 6); /* its rest is on its way */
	s.last_ns -= INT64_C(1000000000);
	scrollback_replay(&s, &r);
	assert_int_equal(r.end, 6);
	assert_int_equal(r.live, 12); /* it was left so, and would swallow what comes */
	assert_int_equal(scrollback_skip_to(&s), 6);
	scrollback_free(&s);
}

/* A sequence that is longer than all that is kept: nothing of it is shown. */
static void test_endless_sequence(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 50);
	add(&s, "text\r\n\033]0;");
	for (int i = 0; i < 100; i++)
		add(&s, "0123456789");
	scrollback_replay(&s, &r);
	assert_int_equal(r.begin, r.end);
	assert_int_equal(r.end, journal_end(s.journal));
	add(&s, "\007shown\n");
	scrollback_replay(&s, &r);
	assert_int_equal(r.end - r.begin, 6);
	scrollback_free(&s);
}

static void test_a_line_without_end(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 100 * 1024);
	for (int i = 0; i < 20 * 1024; i++)
		add(&s, "\033[1mzz\xc3\xa9");
	scrollback_replay(&s, &r);
	/* No end of line in reach: between two sequences, as near to the oldest byte as can be. */
	assert_true(r.begin - journal_start(s.journal) < 10);
	assert_int_equal(r.end, journal_end(s.journal));
	assert_true(modes_at_boundary(&r.modes));
	scrollback_free(&s);
}

/* Who reads slowly makes it keep more, but not without bound. */
static void test_slow_reader(void **state)
{
	static char block[64 * 1024];
	struct scrollback s;

	(void)state;
	memset(block, 'x', sizeof block);
	scrollback_init(&s, 1000);
	for (int i = 0; i < 16; i++)
		scrollback_append(&s, (struct str){ block, sizeof block }, 5000);
	assert_int_equal(journal_start(s.journal), 5000);
	for (int i = 0; i < 64; i++)
		scrollback_append(&s, (struct str){ block, sizeof block }, 5000);
	assert_int_equal(journal_end(s.journal) - journal_start(s.journal), SCROLLBACK_RING);
	scrollback_append(&s, STR("y"), UINT64_MAX);
	assert_int_equal(journal_end(s.journal) - journal_start(s.journal), 1000);
	scrollback_free(&s);
}

static void test_nothing_is_kept(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 0);
	add(&s, "\033[?25lline\n");
	scrollback_replay(&s, &r);
	assert_int_equal(r.begin, 11);
	assert_int_equal(r.live, 11);
	expect_mode_text(&r.modes, "\033[?25l");
	scrollback_free(&s);
}

/* Against the plain way: the modes of every replay are those of all output before it. */
static void check_replay(struct scrollback *s, const struct buf *all)
{
	struct modes plain = { 0 };
	struct replay r;

	scrollback_replay(s, &r);
	assert_true(r.begin <= r.end && r.end <= r.live && r.live <= all->len);
	modes_feed(&plain, (struct str){ all->data, (size_t)r.begin });
	if (r.begin < r.end) {
		assert_true(modes_at_boundary(&plain));
		assert_int_equal(plain.on, r.modes.on);
	}
	modes_feed(&plain, (struct str){ all->data + r.begin, (size_t)(r.end - r.begin) });
	if (r.begin < r.end)
		assert_true(modes_at_boundary(&plain));
}

static void test_any_output(void **state)
{
	static const char *const pieces[] = { "\033[?1049h", "\033[?1049l", "\033[?25", "l", "h", "\r\n", "text",
		"\xe2\x82", "\xac", "\033]0;title", "\007", "\033\\", "\033", "[", "?1;2004h", "\n", "\033c",
		"0123456789" };
	struct scrollback s;
	struct buf all;

	(void)state;
	srandom(7);
	for (int round = 0; round < 200; round++) {
		scrollback_init(&s, (size_t)(random() % 200));
		buf_init(&all, 1 << 20);
		for (int i = 0; i < 150; i++) {
			const char *piece = pieces[(size_t)random() % ARRAY_LEN(pieces)];
			uint64_t slowest = random() % 4 ? UINT64_MAX : (uint64_t)random() % (all.len + 1);

			buf_adds(&all, piece);
			scrollback_append(&s, str_of(piece), slowest);
			check_replay(&s, &all);
		}
		buf_free(&all);
		scrollback_free(&s);
	}
}

/* With all memory used up the journal drops early: what is left is shown, and nothing breaks. */
static void test_without_memory(void **state)
{
	struct scrollback s;
	struct replay r;

	(void)state;
	scrollback_init(&s, 256 * 1024);
	budget_set_limit(1);
	for (int i = 0; i < 20000; i++)
		add(&s, "\033[1mline\033[m\n");
	scrollback_replay(&s, &r);
	assert_true(r.begin > 0 && r.begin < r.end);
	assert_int_equal(r.end, journal_end(s.journal));
	budget_set_limit(0);
	scrollback_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_kept),
		cmocka_unit_test(test_what_is_gone_is_known),
		cmocka_unit_test(test_unfinished_end),
		cmocka_unit_test(test_endless_sequence),
		cmocka_unit_test(test_a_line_without_end),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_nothing_is_kept),
		cmocka_unit_test(test_any_output),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
