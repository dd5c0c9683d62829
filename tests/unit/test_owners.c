/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/owners.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_owners.XXXXXX";
static char passwd[64], group[64];

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(passwd, sizeof passwd, "%s/passwd", folder);
	snprintf(group, sizeof group, "%s/group", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(passwd);
	unlink(group);
	return rmdir(folder);
}

static void names_are_found(void **state)
{
	struct owners *o;

	(void)state;
	put(passwd, "root:x:0:0:root:/root:/bin/bash\nuser:x:1000:100:A, B:/home/user:/bin/sh\nlast:x:7:7::/:");
	put(group, "root:x:0:\nusers:x:100:a,b\nother:x:11:users");
	o = owners_load_from(passwd, group);
	assert_string_equal(owners_user(o, 0), "root");
	assert_string_equal(owners_user(o, 1000), "user");
	assert_string_equal(owners_user(o, 7), "last");
	assert_null(owners_user(o, 100));
	assert_string_equal(owners_group(o, 100), "users");
	assert_string_equal(owners_group(o, 11), "other");
	assert_null(owners_group(o, 1000));
	owners_free(o);
}

static void bad_lines_are_skipped(void **state)
{
	struct owners *o;

	(void)state;
	put(passwd, "\nshort:x:1\n:x:2:2::/:/bin/sh\nneg:x:-1:1::/:/s\nbig:x:4294967295:1::/:/s\ntext:x:a:1::/:/s\nok:x:3:3::/h:/s");
	put(group, "x\n:x:1:\nshort:x:4\nok:x:5:");
	o = owners_load_from(passwd, group);
	assert_string_equal(owners_user(o, 3), "ok");
	assert_null(owners_user(o, 1));
	assert_null(owners_user(o, 2));
	assert_null(owners_user(o, UINT32_MAX));
	assert_string_equal(owners_group(o, 5), "ok");
	assert_null(owners_group(o, 4));
	owners_free(o);
}

static void missing_files_are_empty(void **state)
{
	struct owners *o = owners_load_from("/nothing/passwd", "/nothing/group");

	(void)state;
	assert_null(owners_user(o, 0));
	assert_null(owners_group(o, 0));
	owners_free(o);
	owners_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(bad_lines_are_skipped),
		cmocka_unit_test(missing_files_are_empty),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
