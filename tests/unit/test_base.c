/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership of locals, and what base.h promises. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static int open_file(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void memory_is_zeroed(void **state)
{
	(void)state;
	unsigned char *p = mem_alloc(4096);

	for (size_t i = 0; i < 4096; i++)
		assert_int_equal(p[i], 0);
	free(p);
	p = mem_alloc(0);
	assert_non_null(p);
	free(p);
}

static void strdup_copies(void **state)
{
	(void)state;
	char text[] = "one";
	AUTOFREE char *copy = mem_strdup(text);

	text[0] = 'x';
	assert_string_equal(copy, "one");
}

static void taken_pointers_are_gone(void **state)
{
	(void)state;
	AUTOFREE char *p = mem_strdup("kept");
	char *kept = take_ptr(p);

	assert_null(p);
	assert_string_equal(kept, "kept");
	free(kept);
}

static void descriptors_close_at_the_end_of_the_block(void **state)
{
	(void)state;
	int seen;

	{
		AUTOCLOSE int fd = open_file();

		seen = fd;
		assert_true(fcntl(seen, F_GETFD) >= 0);
	}
	assert_int_equal(fcntl(seen, F_GETFD), -1);
}

static void taken_descriptors_stay_open(void **state)
{
	(void)state;
	int kept;

	{
		AUTOCLOSE int fd = open_file();

		kept = take_fd(&fd);
		assert_int_equal(fd, -1);
	}
	assert_true(fcntl(kept, F_GETFD) >= 0);
	close_fd(kept);
}

static void close_leaves_errno(void **state)
{
	(void)state;
	int fd = open_file();

	errno = EXDEV;
	close_fd(fd);
	close_fd(fd); /* fails inside */
	close_fd(-1);
	assert_int_equal(errno, EXDEV);
}

static void owner_finds_the_object(void **state)
{
	(void)state;
	struct pair {
		int first;
		long second;
	} pair = { 1, 2 };
	long *member = &pair.second;

	assert_ptr_equal(OWNER(member, struct pair, second), &pair);
	assert_int_equal(ARRAY_LEN(((int[]){ 1, 2, 3 })), 3);
	assert_int_equal(MIN(2, 3) + MAX(2, 3), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed),
		cmocka_unit_test(strdup_copies),
		cmocka_unit_test(taken_pointers_are_gone),
		cmocka_unit_test(descriptors_close_at_the_end_of_the_block),
		cmocka_unit_test(taken_descriptors_stay_open),
		cmocka_unit_test(close_leaves_errno),
		cmocka_unit_test(owner_finds_the_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
