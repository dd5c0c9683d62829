/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "ops/files/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct buf told;
static bool stops;

static bool on_match(void *user, const struct scan_match *m)
{
	(void)user;
	if (m->text.len > 100)
		buf_addf(&told, "%ju:%ju:%zu%s\n", (uintmax_t)m->line, (uintmax_t)m->column, m->text.len,
			m->cut ? " cut" : "");
	else
		buf_addf(&told, "%ju:%ju:" STR_FMT "\n", (uintmax_t)m->line, (uintmax_t)m->column, STR_ARG(m->text));
	return !stops;
}

static bool on_line(void *user, uint64_t line, struct str text)
{
	(void)user;
	(void)line;
	buf_addf(&told, "-" STR_FMT "\n", STR_ARG(text));
	return true;
}

static bool not_stopped(void *user)
{
	(void)user;
	return false;
}

static const struct scan_events matches = { on_match, NULL, not_stopped }, lines = { on_match, on_line, not_stopped };

static void scan_as(
	const struct scan_events *events, const char *pattern, struct str text, int result, const char *want)
{
	struct err err;
	struct matcher *m = matcher_new(str_of(pattern), (struct matcher_how){ 0 }, &err);
	int fd = memfd_create("scan", MFD_CLOEXEC);
	struct scan s;

	assert_true(m && fd >= 0);
	for (size_t done = 0; done < text.len;) {
		ssize_t put = write(fd, text.p + done, text.len - done);

		assert_true(put > 0);
		done += (size_t)put;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	buf_init(&told, 1 << 20);
	scan_init(&s, m, events, NULL);
	assert_int_equal(scan_file(&s, fd), result);
	assert_string_equal(told.data ? told.data : "", want);
	buf_free(&told);
	scan_done(&s);
	matcher_free(m);
	close(fd);
}

static void scan(const char *pattern, struct str text, const char *want)
{
	scan_as(&matches, pattern, text, SCAN_DONE, want);
}

static void lines_and_columns(void **state)
{
	(void)state;
	scan("b", STR("a\nab\n\nb b"), "2:2:ab\n4:1:b b\n");
	scan("b$", STR("a\nab\n\nb b"), "2:2:ab\n4:3:b b\n");
	scan("^$", STR("a\n\nb"), "2:1:\n");
	scan("x", STR(""), "");
}

static void every_line_where_it_is_asked_for(void **state)
{
	(void)state;
	scan_as(&lines, "b", STR("a\nb\nc"), SCAN_DONE, "-a\n2:1:b\n-b\n-c\n");
}

static void binaries(void **state)
{
	(void)state;
	scan_as(&matches, "a", STR("a\n\0a\n"), SCAN_BINARY, "");
}

static void it_can_be_stopped(void **state)
{
	(void)state;
	stops = true;
	scan_as(&matches, "a", STR("a\na\n"), SCAN_STOPPED, "1:1:a\n");
	stops = false;
}

static void limits_are_told(void **state)
{
	(void)state;
	scan_as(&matches, "(a+)+$", STR("b\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\nb"), SCAN_LIMIT, "");
}

/* Lines of many lengths, so that ends of blocks and windows meet all parts of a match. */
static void long_lines(void **state)
{
	static const char *const patterns[] = { "needle", "nee[d]le" };
	static const size_t lengths[] = { 100, 4090, 65530, 65536, 61440, 262140, 262144, 300000, 1000000, 3000000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lengths) * ARRAY_LEN(patterns); i++) {
		size_t len = lengths[i / 2];
		struct buf text;
		char want[64];

		buf_init(&text, 8 << 20);
		memset(buf_reserve(&text, len), '.', len);
		buf_commit(&text, len);
		buf_adds(&text, "needle.\nlast needle\n");
		snprintf(want, sizeof want, "1:%zu:%zu%s\n2:6:last needle\n", len + 1, MIN(len + 7, (size_t)4096),
			len + 7 > 4096 ? " cut" : "");
		scan(patterns[i % 2], buf_str(&text), want);
		buf_free(&text);
	}
}

static void many_lines(void **state)
{
	struct buf text, want;

	(void)state;
	buf_init(&text, 8 << 20);
	buf_init(&want, 8 << 20);
	for (unsigned i = 1; i <= 100000; i++) {
		buf_addf(&text, "%u\n", i);
		if (i % 10000 == 0)
			buf_addf(&want, "%u:%u:%u\n", i, 2U, i);
	}
	scan("0000", buf_str(&text), want.data);
	scan("(0)000$", buf_str(&text),
		"10000:2:10000\n20000:2:20000\n30000:2:30000\n40000:2:40000\n50000:2:50000\n"
		"60000:2:60000\n70000:2:70000\n80000:2:80000\n90000:2:90000\n100000:3:100000\n");
	buf_free(&text);
	buf_free(&want);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_columns),
		cmocka_unit_test(every_line_where_it_is_asked_for),
		cmocka_unit_test(binaries),
		cmocka_unit_test(it_can_be_stopped),
		cmocka_unit_test(limits_are_told),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
