/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages out of a stream of bytes: in pieces of any size, within their limits.
 */
#include "browser/messages.h"

#include "base/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct {
	struct messages m;
	size_t limit;
	struct buf story; /* "=text;" whole, "-head;" cut, "!head;" starved */
	struct buf taken;
	bool takes, stops;
} t;

static size_t room(struct messages *m, struct str head)
{
	(void)m;
	return str_starts(head, "long") ? 1 << 20 : t.limit;
}

static void on_message(struct messages *m, struct buf *text)
{
	assert_int_equal(text->data[text->len], '\0');
	buf_addf(&t.story, "=" STR_FMT ";", (int)MIN(text->len, 40), text->data);
	if (t.takes)
		t.taken = messages_take(text);
	if (t.stops)
		messages_stop(m);
}

static void on_cut(struct messages *m, struct str head, bool starved)
{
	(void)m;
	buf_addf(&t.story, "%c" STR_FMT ";", starved ? '!' : '-', (int)MIN(head.len, 8), head.p);
}

static const struct messages_events events = { room, on_message, on_cut };

static int begin(void **state)
{
	(void)state;
	memset(&t, 0, sizeof t);
	t.limit = 10;
	buf_init(&t.story, 1 << 20);
	messages_init(&t.m, &events);
	return 0;
}

static int end(void **state)
{
	(void)state;
	messages_free(&t.m);
	buf_free(&t.story);
	buf_free(&t.taken);
	budget_set_limit(0);
	assert_int_equal(budget_used(), 0);
	return 0;
}

static void pieces_of_any_size_give_the_same(void **state)
{
	static const char bytes[] = "{}\0first\0\0\0this is too long\0after\0";

	for (size_t step = 1; step < sizeof bytes; step++) {
		buf_truncate(&t.story, 0);
		for (size_t at = 0; at < sizeof bytes - 1; at += step)
			messages_add(&t.m, (struct str){ bytes + at, MIN(step, sizeof bytes - 1 - at) });
		assert_string_equal(t.story.data, "={};=first;-this is ;=after;");
	}
	(void)state;
}

static void the_limit_is_exact(void **state)
{
	(void)state;
	messages_add(&t.m, STR("0123456789\0"));
	messages_add(&t.m, STR("0123456789x\0"));
	assert_string_equal(t.story.data, "=0123456789;-01234567;");
}

static void a_long_one_is_judged_by_its_head(void **state)
{
	AUTOFREE char *text = malloc(3000);

	(void)state;
	memset(text, 'x', 3000);
	memcpy(text, "long", 4);
	text[2999] = '\0';
	for (size_t step = 1; step <= 3000; step += 299) {
		buf_truncate(&t.story, 0);
		for (size_t at = 0; at < 3000; at += step)
			messages_add(&t.m, (struct str){ text + at, MIN(step, 3000 - at) });
		assert_string_equal(t.story.data, "=longxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;");
	}
	/* The same length without leave is not held. */
	text[0] = 'x';
	messages_add(&t.m, (struct str){ text, 2000 });
	assert_true(budget_used() < 1024);
	messages_add(&t.m, (struct str){ text + 2000, 1000 });
	assert_non_null(strstr(t.story.data, ";-xongxxxx;"));
}

static void without_memory_the_message_is_lost_and_the_next_one_is_not(void **state)
{
	AUTOFREE char *text = calloc(1, 9001);

	(void)state;
	budget_set_limit(4096);
	memset(text, 'x', 9000);
	memcpy(text, "long", 4);
	messages_add(&t.m, (struct str){ text, 9001 });
	messages_add(&t.m, STR("next\0"));
	assert_string_equal(t.story.data, "!longxxxx;=next;");
}

static void one_that_is_taken_is_the_takers(void **state)
{
	(void)state;
	t.takes = true;
	messages_add(&t.m, STR("mine\0"));
	t.takes = false;
	messages_add(&t.m, STR("other\0"));
	assert_string_equal(t.taken.data, "mine");
	assert_string_equal(t.story.data, "=mine;=other;");
}

static void a_reader_that_has_enough_gets_no_more(void **state)
{
	(void)state;
	t.stops = true;
	messages_add(&t.m, STR("one\0two\0"));
	assert_string_equal(t.story.data, "=one;");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pieces_of_any_size_give_the_same, begin, end),
		cmocka_unit_test_setup_teardown(the_limit_is_exact, begin, end),
		cmocka_unit_test_setup_teardown(a_long_one_is_judged_by_its_head, begin, end),
		cmocka_unit_test_setup_teardown(without_memory_the_message_is_lost_and_the_next_one_is_not, begin, end),
		cmocka_unit_test_setup_teardown(one_that_is_taken_is_the_takers, begin, end),
		cmocka_unit_test_setup_teardown(a_reader_that_has_enough_gets_no_more, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
