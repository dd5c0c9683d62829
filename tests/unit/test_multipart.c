/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multipart/form-data: every body is read whole, in steps of each size, and cut in two at every
 * place, and must tell the same story, written down as text:
 *   P(name)data;   a part with a file name      F()data;  one without      DONE
 */
#include "wire/multipart.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TYPE "multipart/form-data; boundary=B"
#define FILE_HEAD "Content-Disposition: form-data; name=\"x\"; filename=\"f\"\r\n\r\n"
#define FIELD_HEAD "Content-Disposition: form-data; name=\"x\"\r\n\r\n"

enum { STORY_MAX = 1 << 20 };

static void tell(const struct multipart *m, enum multipart_event event, struct str data, struct buf *story)
{
	if (event == MULTIPART_PART || event == MULTIPART_FIELD) {
		buf_adds(story, event == MULTIPART_PART ? "P(" : "F(");
		buf_add(story, m->filename, m->filename_len);
		buf_adds(story, ")");
	} else if (event == MULTIPART_DATA) {
		assert_true(data.len > 0);
		buf_add(story, data.p, data.len);
	} else if (event != MULTIPART_MORE) {
		buf_adds(story, event == MULTIPART_END ? ";" : "DONE");
	}
}

static int feed(struct multipart *m, struct str bytes, struct buf *story)
{
	enum multipart_event event = MULTIPART_MORE;
	struct str data = { 0 };

	do {
		int r = multipart_next(m, &bytes, &event, &data);

		if (r < 0)
			return r;
		tell(m, event, data, story);
	} while (event != MULTIPART_MORE);
	assert_int_equal(bytes.len, 0);
	return 0;
}

/* 1 when it is complete, 0 when the end is missing, -EINVAL. */
static int read_pieces(struct str type, struct str bytes, size_t first, size_t steps, struct buf *story)
{
	struct multipart m;
	size_t piece;
	int r = 0;

	buf_init(story, STORY_MAX);
	assert_int_equal(multipart_init(&m, type), 0);
	for (size_t at = 0; at < bytes.len && r == 0; at += piece) {
		char *copy;

		piece = MIN(at == 0 && first ? first : steps, bytes.len - at);
		copy = malloc(piece);
		memcpy(copy, bytes.p + at, piece);
		r = feed(&m, (struct str){ copy, piece }, story);
		free(copy);
	}
	if (r == 0)
		r = multipart_done(&m);
	buf_adds(story, "");
	multipart_free(&m);
	return r;
}

static int read_all(struct str type, struct str bytes, struct buf *story)
{
	int whole = read_pieces(type, bytes, 0, bytes.len, story);

	for (size_t i = 1; i <= bytes.len && bytes.len < 1024; i++) {
		AUTOBUF struct buf cut = { 0 }, steps = { 0 };

		assert_int_equal(read_pieces(type, bytes, i, bytes.len, &cut), whole);
		assert_int_equal(read_pieces(type, bytes, 0, i, &steps), whole);
		assert_true(str_eq(buf_str(&cut), buf_str(story)));
		assert_true(str_eq(buf_str(&steps), buf_str(story)));
	}
	return whole;
}

static void check_story(struct str type, struct str bytes, struct str want)
{
	AUTOBUF struct buf story = { 0 };

	assert_int_equal(read_all(type, bytes, &story), 1);
	assert_true(str_eq(buf_str(&story), want));
}

static void check_result(struct str bytes, int want)
{
	AUTOBUF struct buf story = { 0 };

	assert_int_equal(read_all(STR(TYPE), bytes, &story), want);
}

#define assert_story(text, want) check_story(STR(TYPE), STR(text), STR(want))
#define assert_refused(text) check_result(STR(text), -EINVAL)
#define assert_unfinished(text) check_result(STR(text), 0)

static void test_parts(void **state)
{
	(void)state;
	assert_story("--B\r\n" FILE_HEAD "hello\r\n--B--\r\n", "P(f)hello;DONE");
	assert_story("--B\r\n" FILE_HEAD "hello\r\n--B--", "P(f)hello;DONE");
	assert_story("--B\r\n" FIELD_HEAD "v\r\n--B\r\n" FILE_HEAD "hello\r\n--B--\r\n", "F()v;P(f)hello;DONE");
	assert_story("--B--\r\n", "DONE");
	assert_story("preamble\r\nlines\r\n--B\r\n" FILE_HEAD "a\r\n--B--\r\nepilogue\r\n--B\r\n", "P(f)a;DONE");
	assert_story("\r\n--B\r\n" FILE_HEAD "a\r\n--B--", "P(f)a;DONE");
	assert_story("x--B\r\n--B\r\n" FILE_HEAD "a\r\n--B--", "P(f)a;DONE");
	assert_story("--B \t \r\n" FILE_HEAD "a\r\n--B  \r\n" FILE_HEAD "b\r\n--B-- \r\n", "P(f)a;P(f)b;DONE");
	assert_story("--B\r\n\r\na\r\n--B--", "F()a;DONE");
}

static void test_empty_parts(void **state)
{
	(void)state;
	assert_story("--B\r\n" FILE_HEAD "\r\n--B--\r\n", "P(f);DONE");
	assert_story("--B\r\n" FILE_HEAD "--B--\r\n", "P(f);DONE");
	assert_story("--B\r\n" FILE_HEAD "\r\n--B\r\n" FILE_HEAD "--B\r\n" FILE_HEAD "x\r\n--B--\r\n",
		"P(f);P(f);P(f)x;DONE");
	assert_story("--B\r\n\r\n\r\n--B--", "F();DONE");
}

static void check_content(struct str content)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX }, want = { .limit = STORY_MAX };

	buf_adds(&text, "--B\r\n" FILE_HEAD);
	buf_add(&text, content.p, content.len);
	buf_adds(&text, "\r\n--B--\r\n");
	buf_adds(&want, "P(f)");
	buf_add(&want, content.p, content.len);
	buf_adds(&want, ";DONE");
	check_story(STR(TYPE), buf_str(&text), buf_str(&want));
}

static void test_content_like_boundaries(void **state)
{
	(void)state;
	check_content(STR("\r\n"));
	check_content(STR("\r\n\r\n"));
	check_content(STR("a\r\n"));
	check_content(STR("\r"));
	check_content(STR("\n"));
	check_content(STR("\r\r\n\r"));
	check_content(STR("--"));
	check_content(STR("-"));
	check_content(STR("--A\r\n"));
	check_content(STR("--BB\r\n"));
	check_content(STR("\r\n--BX\r\nY"));
	check_content(STR("\r\n--b\r\n"));
	check_content(STR("\n--B\r\n"));
	check_content(STR("\n--B--\n"));
	check_content(STR("\r--B--\r"));
	check_content(STR(" --B\r\n"));
	check_content(STR("\r\n --B--\r\n"));
	check_content(STR("\r\n-B\r\n--\r\n---B"));
	check_content(STR("\r\n--B-\r\n"));
	check_content(STR("\r\n--B -"));
	check_content(STR("\r\n--B \r \n"));
	check_content(STR("\r\n--B\r\r\n--B\n"));
	check_content(STR("\r\n--B\n"));
	check_content(STR("\r\n\r\n--B\r\r\n-"));
	check_content(STR("\r\n--B                 \r\n")); /* 17 blanks */
	check_content(STR("a\0b\xff\x80\0"));
}

static void test_boundaries(void **state)
{
	(void)state;
	check_story(STR("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"a b'(c)+_,-./:=?\"; x=y"),
		STR("--a b'(c)+_,-./:=?\r\n" FILE_HEAD "1\r\n--a b\r\n--a b'(c)+_,-./:=?--"),
		STR("P(f)1\r\n--a b;DONE"));
	check_story(STR("multipart/form-data;boundary=----WebKitFormBoundaryx1"),
		STR("------WebKitFormBoundaryx1\r\n" FILE_HEAD "1\r\n------WebKitFormBoundaryx1--\r\n"),
		STR("P(f)1;DONE"));
	check_story(STR("multipart/form-data; boundary=-"), STR("---\r\n" FILE_HEAD "-\r\n--\r\n-----\r\n"),
		STR("P(f)-\r\n--;DONE"));
}

static int init_result(const char *type)
{
	struct multipart m;
	int r = multipart_init(&m, str_of(type));

	if (r == 0)
		multipart_free(&m);
	return r;
}

static void test_content_types(void **state)
{
	static const char *const bad[] = { "", "multipart/form-data", "multipart/form-data;",
		"multipart/form-data; boundary", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
		"multipart/form-data; boundary=\"a", "multipart/form-data; boundary=\"a \"",
		"multipart/form-data; boundary=a; boundary=a", "multipart/mixed; boundary=B",
		"multipart/form-datax; boundary=B", "text/plain; boundary=B", "multipart/form-data; boundary=a@b",
		"multipart/form-data; boundary=\"a\\\"b\"", "multipart/form-data; boundary=\"a\"b",
		"multipart/form-data boundary=B", "multipart/form-data; boundary = B",
		"multipart/form-data, multipart/form-data; boundary=B" };
	char type[256] = "multipart/form-data; boundary=";
	size_t len = strlen(type);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(init_result(bad[i]), -EINVAL);
	memset(type + len, 'b', MULTIPART_BOUNDARY_MAX);
	assert_int_equal(init_result(type), 0);
	type[len + MULTIPART_BOUNDARY_MAX] = 'b';
	assert_int_equal(init_result(type), -EINVAL);
	assert_int_equal(init_result("multipart/form-data ;boundary=B ; ;"), 0);
}

static void check_filename(const char *param, const char *want)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX }, story = { .limit = STORY_MAX };

	buf_addf(&text, "--B\r\ncontent-disposition:form-data; name=n;%s\r\n\r\n\r\n--B--", param);
	buf_addf(&story, "P(%s);DONE", want);
	check_story(STR(TYPE), buf_str(&text), buf_str(&story));
}

static void test_filenames(void **state)
{
	(void)state;
	check_filename("filename=\"a b.txt\"", "a b.txt");
	check_filename("FileName=plain.txt", "plain.txt");
	check_filename("filename=plain%22 ; x=y", "plain%22");
	check_filename("filename=\"\"", "");
	check_filename("filename=\"\\\"q\\\".txt\"", "\"q\".txt");
	check_filename("filename=\"%22q%22.txt\"", "\"q\".txt");
	check_filename("filename=\"a%0D%0Ab\"", "a\r\nb");
	check_filename("filename=\"%41%2F%2e%00%0a%2\"", "%41%2F%2e%00%0a%2");
	check_filename("filename=\"back\\slash\"", "back\\slash");
	check_filename("filename=\"back\\\\slash\"", "back\\slash");
	check_filename("filename=\"a;b=c\"", "a;b=c");
	check_filename("filename=\"\xff\xc3\xa9\"", "\xff\xc3\xa9");
	check_filename("filename=\"../x\"", "../x");
	check_filename("filename=\"a\"; filename*=UTF-8''b", "a");
	check_filename("x=\"filename=no\"; filename=yes", "yes");
	check_filename("filename*=UTF-8''b; filename=\"a\"", "a");
	assert_refused("--B\r\nContent-Disposition: form-data; filename*=UTF-8''b\r\n\r\n\r\n--B--");
}

static void check_filename_of(size_t len, int want)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX };

	buf_adds(&text, "--B\r\nContent-Disposition: form-data; filename=\"");
	for (size_t i = 0; i < len; i++)
		buf_addc(&text, 'n');
	buf_adds(&text, "\"\r\n\r\n\r\n--B--");
	check_result(buf_str(&text), want);
}

static void test_filename_limit(void **state)
{
	(void)state;
	check_filename_of(1024, 1);
	check_filename_of(1025, -EINVAL);
}

static void test_bad_headers(void **state)
{
	(void)state;
	assert_refused("--B\r\nno colon\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\n: empty\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nA : b\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nA: b\n\r\nx\r\n--B--");
	assert_refused("--B\r\nA: b\r\n\nx\r\n--B--");
	assert_refused("--B\r\nA: b\rc\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nA: \0\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nA: b\r\n folded\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\n--B--\r\n\r\n");
	assert_refused("--B\r\nContent-Disposition: attachment; filename=x\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nContent-Disposition: form-data; filename=\"x\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nContent-Disposition: form-data; filename=a; filename=b\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nContent-Disposition: form-data; filename=\"a\"b\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nContent-Disposition: form-data\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--");
	assert_refused("--B\r\nContent-Transfer-Encoding: base64\r\n\r\neA==\r\n--B--");
	assert_story("--B\r\nContent-Transfer-Encoding: Binary\r\nX-Other: y\r\n\r\nx\r\n--B--", "F()x;DONE");
}

static void check_header_of(size_t len, int want)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX };

	buf_adds(&text, "--B\r\nA: ");
	for (size_t i = strlen("A: \r\n\r\n"); i < len; i++)
		buf_addc(&text, 'a');
	buf_adds(&text, "\r\n\r\nx\r\n--B--");
	check_result(buf_str(&text), want);
}

static void test_header_limit(void **state)
{
	(void)state;
	check_header_of(8 * 1024, 1);
	check_header_of(8 * 1024 + 1, -EINVAL);
	check_header_of(100 * 1024, -EINVAL);
}

static void test_a_missing_end(void **state)
{
	struct str text = STR("--B\r\n" FILE_HEAD "hello\r\n--B--");

	(void)state;
	for (size_t len = 0; len < text.len; len++)
		check_result((struct str){ text.p, len }, 0);
	assert_unfinished("");
	assert_unfinished("no boundary at all\r\n--A--\r\n");
	assert_unfinished("--BX\r\n");
	assert_unfinished("--B\r\n" FILE_HEAD "hello--B--\r\n");
	assert_unfinished("--B\r\n" FILE_HEAD "hello\n--B--\n");
}

static void test_behind_the_end(void **state)
{
	(void)state;
	assert_refused("--B\r\n" FILE_HEAD "a\r\n--B--X\r\n--B--\r\n");
	assert_refused("--B\r\n" FILE_HEAD "a\r\n--B---\r\n");
	assert_refused("--B\r\n" FILE_HEAD "a\r\n--B--\n");
}

static void test_large_content_is_not_cut_up(void **state)
{
	AUTOBUF struct buf text = { .limit = STORY_MAX };
	enum multipart_event event = MULTIPART_MORE;
	struct multipart m;
	struct str rest, data = { 0 };

	(void)state;
	buf_adds(&text, "--B\r\n" FILE_HEAD "x");
	for (int i = 0; i < 10000; i++)
		buf_adds(&text, "\r\n\r--B\r\n-");
	buf_adds(&text, "\r\n--B--");
	rest = buf_str(&text);
	assert_int_equal(multipart_init(&m, STR(TYPE)), 0);
	assert_int_equal(multipart_next(&m, &rest, &event, &data), 0);
	assert_int_equal(event, MULTIPART_PART);
	assert_int_equal(multipart_next(&m, &rest, &event, &data), 0);
	assert_int_equal(event, MULTIPART_DATA);
	assert_int_equal(data.len, 1 + 10000 * strlen("\r\n\r--B\r\n-"));
	multipart_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_empty_parts),
		cmocka_unit_test(test_content_like_boundaries),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_content_types),
		cmocka_unit_test(test_filenames),
		cmocka_unit_test(test_filename_limit),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_header_limit),
		cmocka_unit_test(test_a_missing_end),
		cmocka_unit_test(test_behind_the_end),
		cmocka_unit_test(test_large_content_is_not_cut_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
