/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever pieces a journal is read in, each stream's text is the same, whole characters and all of them once. */
#include "ops/process/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void put(struct journal *j, enum journal_stream stream, const char *text)
{
	journal_append(j, stream, str_of(text));
}

static void read_from(struct reading *r, struct journal *j, uint64_t since, size_t max, bool as_text)
{
	struct read_request request = { .since = since, .max = max, .as_text = as_text };

	reading_do(r, j, &request);
	assert_false(r->failed);
}

/* All of a reading, stream by stream, as "out|err". */
static void assert_reads(const struct reading *r, const char *wanted)
{
	AUTOBUF struct buf text;

	buf_init(&text, 4096);
	for (int stream = 0; stream < JOURNAL_STREAMS; stream++) {
		if (stream)
			buf_addc(&text, '|');
		for (size_t i = 0; i < reading_count(r); i++) {
			const struct chunk *c = reading_chunk(r, i);

			if (c->stream == (enum journal_stream)stream)
				buf_add(&text, r->data.data + c->at, c->len);
		}
	}
	assert_string_equal(text.data, wanted);
}

static void test_cut_character_is_left_to_the_later_reading(void **state)
{
	struct journal *j = journal_new(4096, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT, "a\xe2\x82");
	read_from(&r, j, 0, 100, true);
	assert_reads(&r, "a|");
	assert_int_equal(r.next, 1);
	reading_free(&r);
	put(j, JOURNAL_STDOUT, "\xac");
	read_from(&r, j, 1, 100, true);
	assert_reads(&r, "\xe2\x82\xac|");
	assert_int_equal(r.next, 4);
	assert_false(reading_chunk(&r, 0)->lossy);
	reading_free(&r);
	journal_free(j);
}

static void test_end_gives_what_is_no_character(void **state)
{
	struct journal *j = journal_new(4096, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDERR, "x\xe2\x82");
	journal_close(j);
	read_from(&r, j, 0, 100, true);
	assert_reads(&r, "|x\xef\xbf\xbd");
	assert_true(r.eof && reading_chunk(&r, reading_count(&r) - 1)->lossy);
	assert_int_equal(r.next, 3);
	reading_free(&r);
	journal_free(j);
}

static void test_other_stream_in_the_middle_of_a_character(void **state)
{
	struct journal *j = journal_new(4096, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT, "a\xc3");
	put(j, JOURNAL_STDERR, "err");
	read_from(&r, j, 0, 100, true);
	assert_reads(&r, "a|");
	assert_int_equal(r.next, 1);
	reading_free(&r);
	put(j, JOURNAL_STDOUT, "\xa9z");
	read_from(&r, j, 1, 100, true);
	assert_reads(&r, "\xc3\xa9z|err");
	assert_int_equal(r.next, 7);
	reading_free(&r);
	journal_free(j);
}

/* The rest of the character may never come: the reader gets on all the same. */
static void test_nobody_is_held_by_half_a_character(void **state)
{
	struct read_request settled = { .max = 100, .as_text = true, .settled = true };
	struct journal *j = journal_new(4096, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT, "\xc3");
	read_from(&r, j, 0, 100, true);
	assert_reads(&r, "|");
	assert_int_equal(r.next, 0);
	reading_free(&r);
	put(j, JOURNAL_STDERR, "err");
	read_from(&r, j, 0, 100, true);
	assert_true(r.stuck);
	assert_reads(&r, "|");
	assert_int_equal(r.next, 0);
	reading_free(&r);
	reading_do(&r, j, &settled);
	assert_false(r.stuck);
	assert_reads(&r, "\xef\xbf\xbd|err");
	assert_int_equal(r.next, 4);
	reading_free(&r);
	journal_free(j);
}

static void test_one_byte_at_a_time_gets_on(void **state)
{
	struct journal *j = journal_new(4096, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT, "\xf0\x9f\x98\x80!");
	read_from(&r, j, 0, 1, true);
	assert_reads(&r, "\xf0\x9f\x98\x80|");
	reading_free(&r);
	read_from(&r, j, 0, 1, false);
	assert_int_equal(r.next, 1);
	reading_free(&r);
	journal_free(j);
}

static void test_gap_is_told_and_begins_at_a_character(void **state)
{
	struct journal *j = journal_new(8, NULL, NULL);
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT,
		"0123\xe2\x82\xac"
		"456789"); /* the ring begins with the last byte of the sign */
	read_from(&r, j, 0, 100, true);
	assert_int_equal(r.dropped, 7);
	assert_reads(&r, "456789|");
	reading_free(&r);
	read_from(&r, j, 2, 100, false);
	assert_int_equal(r.dropped, 3);
	assert_int_equal(r.data.len, 8);
	reading_free(&r);
	journal_free(j);
}

static void test_filter_leaves_holes(void **state)
{
	struct journal *j = journal_new(4096, NULL, NULL);
	struct read_request request = { .since = 1, .max = 4, .streams = READ_STDERR, .as_text = true };
	struct reading r;

	(void)state;
	put(j, JOURNAL_STDOUT, "out");
	put(j, JOURNAL_STDERR, "err");
	put(j, JOURNAL_STDOUT, "out");
	put(j, JOURNAL_STDERR, "more");
	reading_do(&r, j, &request);
	assert_reads(&r, "|errm");
	assert_int_equal(reading_chunk(&r, 0)->offset, 3);
	assert_int_equal(reading_chunk(&r, 1)->offset, 9);
	assert_int_equal(r.next, 10);
	reading_free(&r);
	journal_free(j);
}

static const char *const sentences[JOURNAL_STREAMS] = { "gr\xc3\xbc\xc3\x9f dich, \xf0\x9f\x98\x80\xe2\x82\xac ok ",
	"\xe6\x97\xa5\xe6\x9c\xac plain \xc3\xa9\xc3\xa9 " };

/* Both streams in pieces of 1 to 5 bytes, read in windows of up to 31 bytes more than `least`. */
static void read_in_pieces(unsigned seed, size_t least)
{
	struct journal *j = journal_new(1 << 20, NULL, NULL);
	char wanted[JOURNAL_STREAMS][4096], got[JOURNAL_STREAMS][8192];
	size_t wanted_len[JOURNAL_STREAMS] = { 0 }, put_len[JOURNAL_STREAMS] = { 0 }, got_len[JOURNAL_STREAMS] = { 0 };
	uint64_t next = 0;
	bool eof = false;

	for (int s = 0; s < JOURNAL_STREAMS; s++) {
		for (int i = 0; i < 40; i++) {
			memcpy(wanted[s] + wanted_len[s], sentences[s], strlen(sentences[s]));
			wanted_len[s] += strlen(sentences[s]);
		}
	}
	while (put_len[0] < wanted_len[0] || put_len[1] < wanted_len[1]) {
		int s = (int)((seed = seed * 1103515245 + 12345) >> 16 & 1);
		size_t len = MIN((seed >> 18) % 5 + 1, wanted_len[s] - put_len[s]);

		journal_append(j, s, (struct str){ wanted[s] + put_len[s], len });
		put_len[s] += len;
	}
	journal_close(j);
	for (int steps = 0; !eof; steps++) {
		struct reading r;

		assert_true(steps < 10000);
		read_from(&r, j, next, least + ((seed = seed * 1103515245 + 12345) >> 16 & 31), true);
		for (size_t i = 0; i < reading_count(&r); i++) {
			const struct chunk *c = reading_chunk(&r, i);

			memcpy(got[c->stream] + got_len[c->stream], r.data.data + c->at, c->len);
			got_len[c->stream] += c->len;
		}
		next = r.next;
		eof = r.eof;
		reading_free(&r);
	}
	for (int s = 0; s < JOURNAL_STREAMS; s++) {
		assert_int_equal(got_len[s], wanted_len[s]);
		assert_memory_equal(got[s], wanted[s], wanted_len[s]);
	}
	journal_free(j);
}

static void test_pieces_make_the_whole(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed < 300; seed++) {
		read_in_pieces(seed, 1);
		read_in_pieces(seed, 100);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_character_is_left_to_the_later_reading),
		cmocka_unit_test(test_end_gives_what_is_no_character),
		cmocka_unit_test(test_other_stream_in_the_middle_of_a_character),
		cmocka_unit_test(test_nobody_is_held_by_half_a_character),
		cmocka_unit_test(test_one_byte_at_a_time_gets_on),
		cmocka_unit_test(test_gap_is_told_and_begins_at_a_character),
		cmocka_unit_test(test_filter_leaves_holes),
		cmocka_unit_test(test_pieces_make_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
