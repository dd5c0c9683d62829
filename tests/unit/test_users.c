/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test_users.XXXXXX";
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

static void names_and_ids_are_found(void **state)
{
	struct users *u;
	const struct user *user;
	gid_t groups[8];

	(void)state;
	put(passwd, "root:x:0:0:root:/root:/bin/bash\nuser:x:1000:100:A, B:/home/user:/bin/sh\nlast:x:7:7::/:\n");
	put(group, "root:x:0:\nusers:x:100:\nwheel:x:10:a,user,b\nother:x:11:users,xuser\nmore:x:12:user");
	u = users_load_from(passwd, group);
	user = users_by_name(u, "user");
	assert_non_null(user);
	assert_int_equal(user->uid, 1000);
	assert_int_equal(user->gid, 100);
	assert_string_equal(user->home, "/home/user");
	assert_string_equal(user->shell, "/bin/sh");
	assert_string_equal(users_by_id(u, 7)->name, "last");
	assert_string_equal(users_by_id(u, 7)->shell, "");
	assert_null(users_by_id(u, 8));
	assert_null(users_by_name(u, "use"));
	assert_string_equal(users_group_name(u, 100), "users");
	assert_null(users_group_name(u, 99));
	assert_int_equal(users_groups(u, user, groups, ARRAY_LEN(groups)), 3);
	assert_int_equal(groups[0], 100);
	assert_int_equal(groups[1], 10);
	assert_int_equal(groups[2], 12);
	assert_int_equal(users_groups(u, user, groups, 2), 2);
	users_free(u);
}

static void bad_lines_are_skipped(void **state)
{
	struct users *u;

	(void)state;
	put(passwd,
		"\nshort:x:1\n:x:2:2::/:/bin/sh\nneg:x:-1:1::/:/s\nbig:x:4294967295:1::/:/s\ntext:x:a:1::/:/s\nok:x:3:3::/h:/s");
	put(group, "x\n:x:1:\nok:x:3");
	u = users_load_from(passwd, group);
	assert_non_null(users_by_name(u, "ok"));
	assert_null(users_by_name(u, "short"));
	assert_null(users_by_name(u, "neg"));
	assert_null(users_by_name(u, "big"));
	assert_null(users_by_name(u, "text"));
	assert_null(users_by_id(u, 2));
	assert_null(users_group_name(u, 3));
	users_free(u);
}

static void missing_files_are_empty(void **state)
{
	struct users *u = users_load_from("/nothing/passwd", "/nothing/group");

	(void)state;
	assert_null(users_by_id(u, 0));
	assert_null(users_group_name(u, 0));
	users_free(u);
	users_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_ids_are_found),
		cmocka_unit_test(bad_lines_are_skipped),
		cmocka_unit_test(missing_files_are_empty),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
