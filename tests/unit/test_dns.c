/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a name server byte by byte, and which of its answers are believed. */
#include "wire/dns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

/* The question for "a.example" of kind A, and what comes in front of it. */
#define QUESTION(type) "\1a\7example\0\0" type "\0\1"
#define HEADER(flags, answers) "\x12\x34" flags "\0\1\0" answers "\0\0\0\0"
#define OK "\x81\x80"
#define A_RECORD(owner, ttl, address) owner "\0\1\0\1" ttl "\0\4" address
#define TO_NAME "\xc0\x0c"
#define TTL "\0\0\0\x3c"

static int answer(const char *bytes, size_t len, unsigned type, struct dns_addresses *found)
{
	/* Of just its size, so that a sanitizer sees every byte too many. */
	char *copy = malloc(len);
	int r;

	memcpy(copy, bytes, len);
	*found = (struct dns_addresses){ .ttl = UINT32_MAX };
	r = dns_answer((struct str){ copy, len }, 0x1234, STR("A.example"), type, found);
	free(copy);
	return r;
}
#define ANSWER(literal, found) answer((literal), sizeof(literal) - 1, DNS_A, (found))

static void test_the_question(void **state)
{
	static const char expected[] = "\x12\x34\1\0\0\1\0\0\0\0\0\0" QUESTION("\x1c");
	unsigned char sent[DNS_QUERY_MAX];
	char label[70];

	(void)state;
	assert_int_equal(dns_query(sent, 0x1234, STR("A.exAmple."), DNS_AAAA), sizeof expected - 1);
	assert_memory_equal(sent, expected, sizeof expected - 1);
	memset(label, 'x', sizeof label);
	assert_int_equal(dns_query(sent, 1, STR(""), DNS_A), -EINVAL);
	assert_int_equal(dns_query(sent, 1, STR("a..b"), DNS_A), -EINVAL);
	assert_int_equal(dns_query(sent, 1, (struct str){ label, 64 }, DNS_A), -EINVAL);
	assert_true(dns_query(sent, 1, (struct str){ label, 63 }, DNS_A) > 0);
}

static void test_a_name_of_all_lengths(void **state)
{
	unsigned char sent[DNS_QUERY_MAX];
	char name[300];

	(void)state;
	memset(name, 'a', sizeof name);
	for (size_t i = 49; i < sizeof name; i += 50)
		name[i] = '.';
	for (size_t len = 1; len < sizeof name; len++) {
		ssize_t r = dns_query(sent, 1, (struct str){ name, len }, DNS_A);

		/* A final dot takes no byte of its own. */
		if (len - (len % 50 == 0) <= 253)
			assert_int_equal(r, 12 + len + (len % 50 ? 2 : 1) + 4);
		else
			assert_int_equal(r, -EINVAL);
	}
}

static void test_addresses(void **state)
{
	struct dns_addresses found;

	(void)state;
	assert_int_equal(ANSWER(HEADER(OK, "\2") QUESTION("\1") A_RECORD(TO_NAME, TTL, "\xc0\0\2\1")
					 A_RECORD("\1A\7exAMPLE\0", "\0\0\0\5", "\xc0\0\2\2"),
				 &found),
		0);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.ttl, 5);
	assert_memory_equal(found.all[0].bytes, "\xc0\0\2\1", 4);
	assert_memory_equal(found.all[1].bytes, "\xc0\0\2\2", 4);
	assert_false(found.all[0].is_v6);
	assert_int_equal(answer(HEADER(OK, "\1") QUESTION("\x1c") TO_NAME "\0\x1c\0\1" TTL "\0\x10"
									  "0123456789abcdef",
				 12 + 15 + 12 + 16, DNS_AAAA, &found),
		0);
	assert_int_equal(found.count, 1);
	assert_true(found.all[0].is_v6);
	assert_memory_equal(found.all[0].bytes, "0123456789abcdef", 16);
	/* The name is there, without an address of this kind. */
	assert_int_equal(ANSWER(HEADER(OK, "\0") QUESTION("\1"), &found), 0);
	assert_int_equal(found.count, 0);
}

static void test_aliases(void **state)
{
	struct dns_addresses found;

	(void)state;
	/* a.example is b.example, whose record stands in front. */
	assert_int_equal(ANSWER(HEADER(OK, "\2") QUESTION("\1") A_RECORD("\1b\xc0\x0e", TTL, "\xc0\0\2\1") TO_NAME
				 "\0\5\0\1\0\0\0\7\0\4\1b\xc0\x0e",
				 &found),
		0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.ttl, 7);
	/* It is its own alias. */
	assert_int_equal(
		ANSWER(HEADER(OK, "\1") QUESTION("\1") TO_NAME "\0\5\0\1" TTL "\0\2" TO_NAME, &found), -EBADMSG);
	/* An address of a name that nobody asked for. */
	assert_int_equal(
		ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\4evil\xc0\x0e", TTL, "\xc0\0\2\1"), &found), 0);
	assert_int_equal(found.count, 0);
	/* Neither the wrong kind, nor the wrong class, nor the wrong length. */
	assert_int_equal(ANSWER(HEADER(OK, "\3") QUESTION("\1") TO_NAME "\0\x1c\0\1" TTL "\0\4"
									"1234" TO_NAME "\0\1\0\3" TTL "\0\4"
									"1234" TO_NAME "\0\1\0\1" TTL "\0\3"
									"123",
				 &found),
		0);
	assert_int_equal(found.count, 0);
}

static void test_more_than_are_kept(void **state)
{
	struct dns_addresses found;

	(void)state;
#define THREE A_RECORD(TO_NAME, TTL, "1234") A_RECORD(TO_NAME, TTL, "1234") A_RECORD(TO_NAME, TTL, "1234")
	assert_int_equal(ANSWER(HEADER(OK, "\x0c") QUESTION("\1") THREE THREE THREE THREE, &found), 0);
	assert_int_equal(found.count, DNS_ADDRESSES_MAX);
}

static void test_what_the_server_says(void **state)
{
	struct dns_addresses found;

	(void)state;
	assert_int_equal(ANSWER(HEADER("\x81\x83", "\0") QUESTION("\1"), &found), -ENOENT);
	assert_int_equal(ANSWER(HEADER("\x81\x82", "\0") QUESTION("\1"), &found), -EAGAIN);
	assert_int_equal(ANSWER(HEADER("\x81\x85", "\0") QUESTION("\1"), &found), -EAGAIN);
	assert_int_equal(ANSWER(HEADER("\x83\x80", "\0") QUESTION("\1"), &found), -EMSGSIZE);
}

static void test_what_is_no_answer_to_this(void **state)
{
	static const char whole[] = HEADER(OK, "\1") QUESTION("\1") A_RECORD(TO_NAME, TTL, "\xc0\0\2\1");
	struct dns_addresses found;

	(void)state;
	assert_int_equal(ANSWER("\x12\x35" OK "\0\1\0\0\0\0\0\0" QUESTION("\1"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER("\1\x80", "\0") QUESTION("\1"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER("\x89\x80", "\0") QUESTION("\1"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER(OK, "\0") QUESTION("\x1c"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER(OK, "\0") "\1b\7example\0\0\1\0\1", &found), -EBADMSG);
	assert_int_equal(ANSWER("\x12\x34" OK "\0\2\0\0\0\0\0\0" QUESTION("\1") QUESTION("\1"), &found), -EBADMSG);
	/* However it is cut. */
	for (size_t len = 1; len < sizeof whole - 1; len++)
		assert_int_equal(answer(whole, len, DNS_A, &found), -EBADMSG);
	assert_int_equal(answer(whole, sizeof whole - 1, DNS_A, &found), 0);
}

static void test_pointers(void **state)
{
	struct dns_addresses found;

	(void)state;
	/* To itself, forward, into the header, two that lead to each other, a label of 64. */
	assert_int_equal(ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\xc0\x1b", TTL, "1234"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\xc0\x1d", TTL, "1234"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\xc0\1", TTL, "1234"), &found), -EBADMSG);
	assert_int_equal(
		ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\1x\xc0\x1b", TTL, "1234"), &found), -EBADMSG);
	assert_int_equal(ANSWER(HEADER(OK, "\1") QUESTION("\1") A_RECORD("\x40x", TTL, "1234"), &found), -EBADMSG);
	/* A length that leaves the message. */
	assert_int_equal(ANSWER(HEADER(OK, "\1") QUESTION("\1") TO_NAME "\0\1\0\1" TTL "\0\5"
									"1234",
				 &found),
		-EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_question),
		cmocka_unit_test(test_a_name_of_all_lengths),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_more_than_are_kept),
		cmocka_unit_test(test_what_the_server_says),
		cmocka_unit_test(test_what_is_no_answer_to_this),
		cmocka_unit_test(test_pointers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
