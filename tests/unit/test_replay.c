/* SPDX-License-Identifier: Apache-2.0 */
/* What asks is taken out of a replay, all else stays, however it is cut. */
#include "cli/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ST "\033\\"

static const struct {
	const char *in, *out;
} rows[] = {
	{ "plain \xc3\xa9\r\n", "plain \xc3\xa9\r\n" },
	{ "a\033[6nb\033[5n\033[?6n", "ab" },
	{ "\033[c\033[>c\033[0c\033[=c\033Z\005", "" },
	{ "\033]11;?\007\033]10;?" ST "\033]4;1;?" ST "\033]52;c;?\007", "" },
	{ "\033]0;why? ;-)\007\033]11;#000\007\033]8;;http://x/;?q" ST,
		"\033]0;why? ;-)\007\033]11;#000\007\033]8;;http://x/;?q" ST },
	{ "\033P$qm" ST "\033P+q544e" ST "x\033Pq#0;1" ST, "x\033Pq#0;1" ST },
	{ "\033[?2026$p\033[!p\033[18t\033[>q\033[2 q\033[?u\033[u\033[=1u", "\033[!p\033[2 q\033[u\033[=1u" },
	{ "\033_Gi=1;AAAA" ST "\033^private" ST, "\033^private" ST },
	{ "\033[01;34mdir\033[0m\033[?1049h\033[2J\033[H\033(B\033=\033M",
		"\033[01;34mdir\033[0m\033[?1049h\033[2J\033[H\033(B\033=\033M" },
	{ "\033[1\033[6nx\033[3\030y\033]0;t\030z", "\033[1x\033[3\030y\033]0;t\030z" },
	{ "a\033\033[6nb\033\033[1mc", "a\033b\033\033[1mc" },
	{ "\033]0;cut off\033[6nx\033]11;\033\033]11;?\007y\007", "\033]0;cut offx\033]11;\033y\007" },
	{ "\033Ptmux;\033\033[1m" ST "x", "\033Ptmux;\033\033[1m" ST "x" },
	{ "end\033[6", "end\033[6" }, /* the live output goes on with it */
	{ "end\033", "end\033" },
};

static void expect(const char *in, size_t step, const char *out)
{
	struct replay r = { 0 };
	struct buf to;

	buf_init(&to, 1 << 20);
	for (size_t at = 0, len = strlen(in); at < len; at += step)
		replay_feed(&r, (struct str){ in + at, MIN(step, len - at) }, &to);
	replay_end(&r, &to);
	assert_string_equal(to.len ? to.data : "", out);
	buf_free(&to);
}

static void test_what_asks_is_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t step = 1; step < 9; step++)
			expect(rows[i].in, step, rows[i].out);
	}
}

/* A picture or a text of the clipboard has no bound: it goes through, and what follows is seen again. */
static void test_long_ones(void **state)
{
	static const char *const begins[] = { "\033P1q", "\033]52;c;", "\033_G", "\033[" };
	char long_one[2 * REPLAY_HELD_MAX + 1], in[3 * REPLAY_HELD_MAX], out[sizeof in];

	(void)state;
	memset(long_one, '1', sizeof long_one - 1);
	long_one[sizeof long_one - 1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		snprintf(out, sizeof out, "%s%s%s.", begins[i], long_one, i < 3 ? ST : "m");
		snprintf(in, sizeof in, "%s%s%s\033[6n.", begins[i], long_one, i < 3 ? ST : "m");
		expect(in, 100, out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_asks_is_left_out),
		cmocka_unit_test(test_long_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
