/* SPDX-License-Identifier: Apache-2.0 */
/* What was appended is what is read, by offset and stream; what is gone is told; memory stays within its bounds. */
#include "journal/journal.h"

#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static unsigned woken, roomy;

static void on_wake(struct journal_reader *r)
{
	(void)r;
	woken++;
}

static void on_room(void *user)
{
	(void)user;
	roomy++;
}

static void add(struct journal *j, enum journal_stream stream, const char *text)
{
	journal_append(j, stream, str_of(text));
}

static void expect_record(struct journal_reader *r, enum journal_stream stream, uint64_t offset, const char *text)
{
	struct journal_record record;
	uint64_t dropped;

	assert_true(journal_peek(r, SIZE_MAX, &record, &dropped));
	assert_int_equal(record.stream, stream);
	assert_int_equal(record.offset, offset);
	assert_true(str_is(record.bytes, text));
	journal_advance(r, record.bytes.len);
}

static void expect_nothing(struct journal_reader *r)
{
	struct journal_record record;
	uint64_t dropped;

	assert_false(journal_peek(r, SIZE_MAX, &record, &dropped));
	assert_int_equal(dropped, 0);
}

static void test_order_streams_and_totals(void **state)
{
	struct journal *j = journal_new(1000, NULL, NULL);
	struct journal_reader r;

	(void)state;
	journal_attach(j, &r, 0, false, on_wake);
	woken = 0;
	expect_nothing(&r);
	add(j, JOURNAL_STDOUT, "one ");
	add(j, JOURNAL_STDOUT, "two");
	add(j, JOURNAL_STDERR, "three");
	add(j, JOURNAL_STDERR, "");
	add(j, JOURNAL_STDOUT, "four");
	assert_int_equal(woken, 4);
	expect_record(&r, JOURNAL_STDOUT, 0, "one two");
	expect_record(&r, JOURNAL_STDERR, 7, "three");
	expect_record(&r, JOURNAL_STDOUT, 12, "four");
	expect_nothing(&r);
	assert_int_equal(journal_total(j, JOURNAL_STDOUT), 11);
	assert_int_equal(journal_total(j, JOURNAL_STDERR), 5);
	assert_int_equal(journal_end(j), 16);
	journal_close(j);
	assert_true(journal_closed(j));
	assert_int_equal(woken, 5);
	journal_free(j);
	assert_null(r.journal);
	assert_int_equal(budget_used(), 0);
}

static void test_cursors(void **state)
{
	struct journal *j = journal_new(10, NULL, NULL);
	struct journal_record record;
	struct journal_reader r;
	uint64_t dropped;

	(void)state;
	add(j, JOURNAL_STDOUT, "0123456789abcde");
	assert_int_equal(journal_start(j), 5);
	journal_attach(j, &r, 2, false, NULL);
	assert_int_equal(r.next, 5);
	journal_detach(&r);
	journal_attach(j, &r, UINT64_MAX, false, NULL);
	assert_int_equal(r.next, 15);
	journal_detach(&r);
	journal_attach(j, &r, 7, false, NULL);
	assert_true(journal_peek(&r, 3, &record, &dropped));
	assert_true(str_is(record.bytes, "789"));
	assert_int_equal(dropped, 0);
	/* Peeking consumes nothing. */
	assert_true(journal_peek(&r, 100, &record, &dropped));
	assert_true(str_is(record.bytes, "789abcde"));
	add(j, JOURNAL_STDERR, "ABCDEFGH");
	assert_true(journal_peek(&r, 100, &record, &dropped));
	assert_int_equal(dropped, 6);
	assert_int_equal(record.offset, 13);
	assert_true(str_is(record.bytes, "de"));
	journal_free(j);
}

/* The model: every byte ever written and its stream. */
enum { MODEL_SIZE = 300000, MODEL_LIMIT = 5000 };
static char model_bytes[MODEL_SIZE];
static bool model_stream[MODEL_SIZE];

static void check_reader(struct journal *j, struct journal_reader *r, size_t max)
{
	uint64_t before = r->next, dropped;
	struct journal_record record;

	if (!journal_peek(r, max, &record, &dropped)) {
		assert_int_equal(r->next, journal_end(j));
		return;
	}
	assert_int_equal(r->next, before + dropped);
	assert_int_equal(r->next, MAX(before, journal_start(j)));
	assert_int_equal(record.offset, r->next);
	assert_in_range(record.bytes.len, 1, max);
	assert_memory_equal(record.bytes.p, model_bytes + record.offset, record.bytes.len);
	for (size_t i = 0; i < record.bytes.len; i++)
		assert_int_equal(model_stream[record.offset + i], record.stream == JOURNAL_STDERR);
	journal_advance(r, record.bytes.len);
}

static void run_model(unsigned seed, size_t limit, size_t most)
{
	struct journal *j = journal_new(limit, NULL, NULL);
	struct journal_reader readers[4];
	size_t end = 0;

	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		journal_attach(j, &readers[i], 0, false, NULL);
	while (end < MODEL_SIZE - most) {
		size_t len = (size_t)rand_r(&seed) % most + 1;
		struct journal_reader *r = &readers[(size_t)rand_r(&seed) % ARRAY_LEN(readers)];
		bool stream = rand_r(&seed) & 1;

		for (size_t i = 0; i < len; i++) {
			model_bytes[end + i] = (char)rand_r(&seed);
			model_stream[end + i] = stream;
		}
		journal_append(j, stream ? JOURNAL_STDERR : JOURNAL_STDOUT, (struct str){ model_bytes + end, len });
		end += len;
		assert_int_equal(journal_end(j), end);
		assert_int_equal(journal_start(j), end > limit ? end - limit : 0);
		for (int i = rand_r(&seed) % 4; i > 0; i--)
			check_reader(j, r, (size_t)rand_r(&seed) % (2 * most) + 1);
		if (rand_r(&seed) % 16 == 0) {
			journal_detach(r);
			journal_attach(j, r, (uint64_t)rand_r(&seed) % (end + 1), false, NULL);
		}
	}
	journal_free(j);
	assert_int_equal(budget_used(), 0);
}

static void test_against_a_model(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 6; seed++) {
		run_model(seed, MODEL_LIMIT, 3);
		run_model(seed, MODEL_LIMIT, 700);
		run_model(seed, 100000, 20000);
		run_model(seed, 1, 5);
		run_model(seed, 256, 600);
	}
}

static void test_memory_is_bounded_in_the_worst_mix(void **state)
{
	enum { LIMIT = 1 << 20 };
	struct journal *j = journal_new(LIMIT, NULL, NULL);

	(void)state;
	for (int i = 0; i < 3 * LIMIT; i++)
		journal_append(j, i & 1 ? JOURNAL_STDERR : JOURNAL_STDOUT, STR("x"));
	assert_int_equal(journal_end(j) - journal_start(j), LIMIT);
	assert_in_range(budget_used(), LIMIT, LIMIT + LIMIT / 8 + 64 * 1024);
	journal_free(j);
	assert_int_equal(budget_used(), 0);
}

static void test_a_short_output_keeps_little(void **state)
{
	struct journal *j = journal_new(1 << 20, NULL, NULL);
	struct journal_reader r;

	(void)state;
	add(j, JOURNAL_STDOUT, "short");
	add(j, JOURNAL_STDERR, "er");
	journal_close(j);
	assert_in_range(budget_used(), 1, 2200);
	journal_attach(j, &r, 0, false, NULL);
	expect_record(&r, JOURNAL_STDOUT, 0, "short");
	expect_record(&r, JOURNAL_STDERR, 5, "er");
	journal_free(j);
	assert_int_equal(budget_used(), 0);
}

static void test_a_lossless_reader_holds_the_producer(void **state)
{
	struct journal *j = journal_new(100, on_room, NULL);
	struct journal_reader slow, other;
	struct journal_record record;
	uint64_t dropped;
	char bytes[100];

	(void)state;
	memset(bytes, 'b', sizeof bytes);
	roomy = 0;
	assert_int_equal(journal_room(j), SIZE_MAX);
	journal_attach(j, &slow, 0, true, NULL);
	journal_attach(j, &other, 0, false, NULL);
	assert_int_equal(journal_room(j), 100);
	journal_append(j, JOURNAL_STDOUT, (struct str){ bytes, 60 });
	assert_int_equal(journal_room(j), 40);
	journal_append(j, JOURNAL_STDOUT, (struct str){ bytes, 40 });
	assert_int_equal(journal_room(j), 0);
	journal_advance(&other, 100);
	assert_int_equal(roomy, 0);
	assert_true(journal_peek(&slow, 10, &record, &dropped));
	journal_advance(&slow, 10);
	assert_int_equal(roomy, 1);
	assert_int_equal(journal_room(j), 10);
	journal_advance(&slow, 10);
	/* Nobody was waiting. */
	assert_int_equal(roomy, 1);
	journal_append(j, JOURNAL_STDOUT, (struct str){ bytes, 20 });
	assert_int_equal(journal_room(j), 0);
	assert_true(journal_peek(&slow, 10, &record, &dropped));
	assert_int_equal(dropped, 0);
	journal_detach(&slow);
	assert_int_equal(roomy, 2);
	assert_int_equal(journal_room(j), SIZE_MAX);
	journal_free(j);
}

/* Moves much more than the budget through a lossless reader: nothing is lost and nobody waits for ever. */
static void test_a_used_up_budget_slows_and_loses_nothing(void **state)
{
	struct journal *j = journal_new(1 << 20, on_room, NULL);
	struct journal_reader r;
	uint64_t sent = 0;
	unsigned waits = 0;

	(void)state;
	budget_set_limit(100000);
	assert_true(budget_take(60000));
	journal_attach(j, &r, 0, true, NULL);
	while (sent < 1000000) {
		struct journal_record record;
		uint64_t dropped;
		size_t room = journal_room(j);
		char bytes[4096];

		memset(bytes, (int)(sent >> 12), sizeof bytes);
		if (room > 0) {
			size_t len = MIN(room, sizeof bytes - (sent & 4095));

			journal_append(j, JOURNAL_STDOUT, (struct str){ bytes, len });
			sent += len;
			continue;
		}
		waits++;
		roomy = 0;
		while (journal_peek(&r, 3000, &record, &dropped)) {
			assert_int_equal(dropped, 0);
			assert_int_equal((unsigned char)record.bytes.p[0], (unsigned char)(record.offset >> 12));
			journal_advance(&r, record.bytes.len);
		}
		assert_int_equal(roomy, 1);
	}
	assert_true(waits > 10);
	assert_true(budget_used() <= 100000);
	journal_free(j);
	budget_give(60000);
	budget_set_limit(0);
	assert_int_equal(budget_used(), 0);
}

static void test_a_used_up_budget_drops_the_oldest(void **state)
{
	struct journal *j = journal_new(1 << 20, NULL, NULL), *other = journal_new(1 << 20, NULL, NULL);
	char bytes[1000] = "";

	(void)state;
	budget_set_limit(100000);
	for (int i = 0; i < 1000; i++)
		journal_append(j, JOURNAL_STDOUT, (struct str){ bytes, sizeof bytes });
	assert_true(budget_used() <= 75000); /* a quarter is left to others */
	assert_in_range(journal_end(j) - journal_start(j), 40000, 75000);
	/* One that comes later is granted its first chunk and no more. */
	for (int i = 0; i < 1000; i++)
		journal_append(other, JOURNAL_STDOUT, (struct str){ bytes, sizeof bytes });
	assert_true(journal_end(other) - journal_start(other) >= 1);
	assert_true(budget_used() <= 100000);
	journal_free(j);
	journal_free(other);
	budget_set_limit(0);
	assert_int_equal(budget_used(), 0);
}

static void test_discarded_bytes_are_a_gap(void **state)
{
	struct journal *j = journal_new(1 << 20, NULL, NULL);
	struct journal_record record;
	struct journal_reader r;
	uint64_t dropped;

	(void)state;
	add(j, JOURNAL_STDOUT, "gone");
	journal_attach(j, &r, 0, false, NULL);
	journal_discard(j);
	assert_int_equal(budget_used(), 0);
	assert_int_equal(journal_start(j), 4);
	assert_false(journal_peek(&r, 100, &record, &dropped));
	assert_int_equal(dropped, 4);
	add(j, JOURNAL_STDERR, "new");
	expect_record(&r, JOURNAL_STDERR, 4, "new");
	journal_discard(j);
	journal_close(j);
	journal_free(j);
	assert_int_equal(budget_used(), 0);
}

static struct journal_reader pair[2];

static void detach_both(struct journal_reader *r)
{
	(void)r;
	woken++;
	journal_detach(&pair[0]);
	journal_detach(&pair[1]);
}

static void test_readers_may_leave_while_they_are_woken(void **state)
{
	struct journal *j = journal_new(100, NULL, NULL);
	struct journal_reader last;

	(void)state;
	journal_attach(j, &last, 0, false, on_wake);
	journal_attach(j, &pair[0], 0, false, detach_both);
	journal_attach(j, &pair[1], 0, false, detach_both);
	woken = 0;
	add(j, JOURNAL_STDOUT, "x");
	assert_int_equal(woken, 2);
	assert_null(pair[0].journal);
	assert_null(pair[1].journal);
	journal_free(j);
}

static void read_at_once(struct journal_reader *r)
{
	struct journal_record record;
	uint64_t dropped;

	while (journal_peek(r, SIZE_MAX, &record, &dropped))
		journal_advance(r, record.bytes.len);
}

static void test_a_reader_may_read_in_its_wake(void **state)
{
	struct journal *j = journal_new(4, on_room, NULL);
	struct journal_reader r;

	(void)state;
	journal_attach(j, &r, 0, true, read_at_once);
	roomy = 0;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(journal_room(j), 4);
		add(j, JOURNAL_STDOUT, "1234");
		assert_int_equal(r.next, journal_end(j));
	}
	assert_int_equal(roomy, 0);
	journal_free(j);
}

static void test_a_hundred_readers_are_cheap(void **state)
{
	struct journal *j = journal_new(1 << 20, NULL, NULL);
	struct journal_reader readers[100];
	clock_t before = clock();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		journal_attach(j, &readers[i], 0, i % 2, on_wake);
	for (int i = 0; i < 10000; i++) {
		add(j, JOURNAL_STDOUT, "a line of output\n");
		assert_true(journal_room(j) > 0);
	}
	/* A generous bound, of CPU: a few microseconds each, where a copy per reader would be a hundred times more. */
	assert_true(clock() - before < 2 * CLOCKS_PER_SEC);
	journal_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_streams_and_totals),
		cmocka_unit_test(test_cursors),
		cmocka_unit_test(test_against_a_model),
		cmocka_unit_test(test_memory_is_bounded_in_the_worst_mix),
		cmocka_unit_test(test_a_short_output_keeps_little),
		cmocka_unit_test(test_a_lossless_reader_holds_the_producer),
		cmocka_unit_test(test_a_used_up_budget_slows_and_loses_nothing),
		cmocka_unit_test(test_a_used_up_budget_drops_the_oldest),
		cmocka_unit_test(test_discarded_bytes_are_a_gap),
		cmocka_unit_test(test_readers_may_leave_while_they_are_woken),
		cmocka_unit_test(test_a_reader_may_read_in_its_wake),
		cmocka_unit_test(test_a_hundred_readers_are_cheap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
