/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WebSocket frames: every head is read with each number of its bytes, so that a refusal comes
 * at the byte that is wrong and nothing is read too far.
 */
#include "wire/ws.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MASK "\x01\x02\x03\x04"

static struct ws_frame frame;

static ssize_t parse_copy(struct str bytes)
{
	char *copy = malloc(bytes.len + !bytes.len);
	ssize_t r;

	memcpy(copy, bytes.p, bytes.len);
	r = ws_frame_parse((struct str){ copy, bytes.len }, &frame);
	free(copy);
	return r;
}

/* The first answer that is not "more", and after how many bytes it came. */
static ssize_t parse(struct str bytes, size_t *ret_after)
{
	ssize_t r = 0;
	size_t len;

	for (len = 0; r == 0 && len <= bytes.len; len++)
		r = parse_copy((struct str){ bytes.p, len });
	*ret_after = len - 1;
	if (r != 0)
		assert_int_equal(parse_copy(bytes), r);
	return r;
}

static void check_parsed(struct str bytes, enum ws_opcode opcode, bool fin, size_t len)
{
	size_t after;

	assert_int_equal(parse(bytes, &after), bytes.len);
	assert_int_equal(after, bytes.len);
	assert_int_equal(frame.opcode, opcode);
	assert_int_equal(frame.fin, fin);
	assert_int_equal(frame.len, len);
	assert_memory_equal(frame.mask, MASK, 4);
}

static void check_refused(struct str bytes, enum ws_close code, size_t want_after)
{
	size_t after;

	assert_int_equal(parse(bytes, &after), -(int)code);
	assert_int_equal(after, want_after);
}

static void test_frames(void **state)
{
	(void)state;
	check_parsed(STR("\x81\x80" MASK), WS_TEXT, true, 0);
	check_parsed(STR("\x01\x85" MASK), WS_TEXT, false, 5);
	check_parsed(STR("\x82\xfd" MASK), WS_BINARY, true, 125);
	check_parsed(STR("\x00\x81" MASK), WS_CONTINUATION, false, 1);
	check_parsed(STR("\x88\x82" MASK), WS_CLOSE, true, 2);
	check_parsed(STR("\x89\xfd" MASK), WS_PING, true, 125);
	check_parsed(STR("\x8a\x80" MASK), WS_PONG, true, 0);
	check_parsed(STR("\x82\xfe\x00\x7e" MASK), WS_BINARY, true, 126);
	check_parsed(STR("\x82\xfe\xff\xff" MASK), WS_BINARY, true, 65535);
	check_parsed(STR("\x82\xff\0\0\0\0\0\x01\0\0" MASK), WS_BINARY, true, 65536);
	check_parsed(STR("\x82\xff\0\0\0\0\0\x10\0\0" MASK), WS_BINARY, true, WS_FRAME_MAX);
}

static void test_refused_frames(void **state)
{
	(void)state;
	check_refused(STR("\xc1\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\xa1\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x91\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x83\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x87\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x8b\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x8f\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x08\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x09\x80" MASK), WS_CLOSE_PROTOCOL, 1);
	check_refused(STR("\x81\x05hello"), WS_CLOSE_PROTOCOL, 2);
	check_refused(STR("\x88\xfe\x00\x7e" MASK), WS_CLOSE_PROTOCOL, 2);
	check_refused(STR("\x89\xff\0\0\0\0\0\x01\0\0" MASK), WS_CLOSE_PROTOCOL, 2);
	check_refused(STR("\x82\xfe\x00\x7d" MASK), WS_CLOSE_PROTOCOL, 4);
	check_refused(STR("\x82\xfe\x00\x00" MASK), WS_CLOSE_PROTOCOL, 4);
	check_refused(STR("\x82\xff\0\0\0\0\0\0\xff\xff" MASK), WS_CLOSE_PROTOCOL, 10);
	check_refused(STR("\x82\xff\x80\0\0\0\0\x01\0\0" MASK), WS_CLOSE_PROTOCOL, 10);
	check_refused(STR("\x82\xff\0\0\0\0\0\x10\0\x01" MASK), WS_CLOSE_TOO_BIG, 10);
	check_refused(STR("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff" MASK), WS_CLOSE_TOO_BIG, 10);
	check_refused(STR("GET / HTTP/1.1\r\n"), WS_CLOSE_PROTOCOL, 1);
}

static void test_unmask(void **state)
{
	static const uint8_t mask[4] = { 0x11, 0x22, 0x44, 0x88 };
	uint8_t plain[64], masked[64], got[80];

	(void)state;
	for (size_t i = 0; i < sizeof plain; i++) {
		plain[i] = (uint8_t)(i * 37);
		masked[i] = plain[i] ^ mask[i % 4];
	}
	for (size_t len = 0; len <= sizeof plain; len++)
		for (size_t cut = 0; cut <= len; cut++) {
			uint8_t *at = got + cut % 9; /* at any alignment */

			memset(got, 0xee, sizeof got);
			memcpy(at, masked, len);
			ws_unmask(at, cut, mask, 0);
			ws_unmask(at + cut, len - cut, mask, cut);
			assert_memory_equal(at, plain, len);
			assert_int_equal(at[len], 0xee);
		}
}

static int add(struct ws_message *m, enum ws_opcode opcode, bool fin, size_t len)
{
	return ws_message_add(m, &(struct ws_frame){ .opcode = opcode, .fin = fin, .len = len });
}

static void test_messages(void **state)
{
	struct ws_message m = { 0 };

	(void)state;
	assert_int_equal(add(&m, WS_TEXT, true, 5), WS_STEP_LAST);
	assert_true(m.opcode == WS_TEXT && m.len == 5 && !m.open);
	assert_int_equal(add(&m, WS_BINARY, false, 1), WS_STEP_PART);
	assert_int_equal(add(&m, WS_PING, true, 100), WS_STEP_CONTROL);
	assert_int_equal(add(&m, WS_CONTINUATION, false, 0), WS_STEP_PART);
	assert_int_equal(add(&m, WS_CLOSE, true, 0), WS_STEP_CONTROL);
	assert_int_equal(add(&m, WS_CONTINUATION, true, 2), WS_STEP_LAST);
	assert_true(m.opcode == WS_BINARY && m.len == 3 && !m.open);
	assert_int_equal(add(&m, WS_CONTINUATION, true, 2), -WS_CLOSE_PROTOCOL);
	assert_int_equal(add(&m, WS_TEXT, false, 2), WS_STEP_PART);
	assert_int_equal(add(&m, WS_TEXT, true, 2), -WS_CLOSE_PROTOCOL);
	assert_int_equal(add(&m, WS_BINARY, false, 2), -WS_CLOSE_PROTOCOL);
}

static void test_message_limit(void **state)
{
	struct ws_message m = { 0 };

	(void)state;
	assert_int_equal(add(&m, WS_BINARY, false, WS_FRAME_MAX), WS_STEP_PART);
	for (int i = 0; i < 2; i++)
		assert_int_equal(add(&m, WS_CONTINUATION, false, WS_FRAME_MAX), WS_STEP_PART);
	assert_int_equal(add(&m, WS_CONTINUATION, false, WS_FRAME_MAX), WS_STEP_PART);
	assert_int_equal(m.len, WS_MESSAGE_MAX);
	assert_int_equal(add(&m, WS_CONTINUATION, true, 1), -WS_CLOSE_TOO_BIG);
	assert_int_equal(add(&m, WS_PONG, true, 125), WS_STEP_CONTROL);
	assert_int_equal(add(&m, WS_CONTINUATION, true, 0), WS_STEP_LAST);
}

static void test_close_codes(void **state)
{
	static const unsigned good[] = { 1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1014, 3000, 3999, 4000,
		4999 };
	static const unsigned bad[] = { 0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(ws_close_is_valid(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(ws_close_is_valid(bad[i]));
}

static void test_close_payloads(void **state)
{
	struct str reason = { 0 };

	(void)state;
	assert_int_equal(ws_close_parse(STR(""), &reason), WS_CLOSE_NO_CODE);
	assert_int_equal(ws_close_parse(STR("\x03"), &reason), -WS_CLOSE_PROTOCOL);
	assert_int_equal(ws_close_parse(STR("\x03\xe8"), &reason), 1000);
	assert_int_equal(reason.len, 0);
	assert_int_equal(ws_close_parse(STR("\x0f\xa0why"), &reason), 4000);
	assert_true(str_is(reason, "why"));
	assert_int_equal(ws_close_parse(STR("\x03\xed"), &reason), -WS_CLOSE_PROTOCOL);
	assert_int_equal(ws_close_parse(STR("\xff\xff"), &reason), -WS_CLOSE_PROTOCOL);
}

static void check_written_close(const char *reason, const char *want)
{
	char to[WS_CONTROL_MAX];
	size_t len = ws_close_payload(to, WS_CLOSE_POLICY, reason);
	struct str got = { 0 };

	assert_int_equal(ws_close_parse((struct str){ to, len }, &got), WS_CLOSE_POLICY);
	assert_true(str_is(got, want));
}

static void test_written_closes(void **state)
{
	char reason[256], want[256];

	(void)state;
	check_written_close("", "");
	check_written_close("terminal.not_found", "terminal.not_found");
	snprintf(reason, sizeof reason, "%0200d", 0);
	snprintf(want, sizeof want, "%0123d", 0);
	check_written_close(reason, want);
	/* Three bytes that begin at 121 to 123: only those that fit whole stay. */
	snprintf(reason, sizeof reason, "%0121d\xe2\x82\xac.", 0);
	snprintf(want, sizeof want, "%0121d", 0);
	check_written_close(reason, want);
	snprintf(reason, sizeof reason, "%0120d\xe2\x82\xac.", 0);
	snprintf(want, sizeof want, "%0120d\xe2\x82\xac", 0);
	check_written_close(reason, want);
}

static void check_head(struct str want, enum ws_opcode opcode, bool fin, size_t len)
{
	char to[WS_HEAD_MAX];
	size_t got = ws_frame_head(to, opcode, fin, len);

	assert_true(str_eq((struct str){ to, got }, want));
}

static void test_written_heads(void **state)
{
	(void)state;
	check_head(STR("\x81\x00"), WS_TEXT, true, 0);
	check_head(STR("\x02\x7d"), WS_BINARY, false, 125);
	check_head(STR("\x82\x7e\x00\x7e"), WS_BINARY, true, 126);
	check_head(STR("\x80\x7e\xff\xff"), WS_CONTINUATION, true, 65535);
	check_head(STR("\x82\x7f\0\0\0\0\0\x01\0\0"), WS_BINARY, true, 65536);
	check_head(STR("\x88\x7d"), WS_CLOSE, true, 125);
	check_head(STR("\x89\x00"), WS_PING, true, 0);
}

static void test_accept(void **state)
{
	static const char *const bad[] = { "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ",
		"dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZQA=", "dGhlIHNhbXBsZSBub25jZ===",
		"dGhlIHNhbXBs SBub25jZQ==", "dGhlIHNhbXBs-SBub25jQ==", "dGhlIHNhbXBsZSBub25jZWE=",
		"dGhlIHNhbXBsZSBub25jZWFi" };
	char to[WS_ACCEPT_LEN + 1];

	(void)state;
	assert_int_equal(ws_accept(STR("dGhlIHNhbXBsZSBub25jZQ=="), to), 0);
	assert_string_equal(to, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
	assert_int_equal(ws_accept(STR("x3JJHMbDL1EzLkh9GBhXDw=="), to), 0);
	assert_string_equal(to, "HSmrc0sMlYUkAGmm5OPpG2HaGWk=");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(ws_accept(str_of(bad[i]), to), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_refused_frames),
		cmocka_unit_test(test_unmask),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_message_limit),
		cmocka_unit_test(test_close_codes),
		cmocka_unit_test(test_close_payloads),
		cmocka_unit_test(test_written_closes),
		cmocka_unit_test(test_written_heads),
		cmocka_unit_test(test_accept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
