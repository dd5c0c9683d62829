/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/user.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char passwd[] = "/tmp/abx-test-passwd-XXXXXX", group[] = "/tmp/abx-test-group-XXXXXX";
static const struct user_files files = { passwd, group };

static void write_to(char *path, const char *text)
{
	AUTOCLOSE int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static int set_up(void **state)
{
	(void)state;
	write_to(passwd, "# a comment\n"
			 "broken\n"
			 ":x:5:5:no name:/:/bin/sh\n"
			 "root:x:0:0:root:/root:/bin/bash\n"
			 "minus:x:-1:0::/:/bin/sh\n"
			 "huge:x:4294967295:0::/:/bin/sh\n"
			 "user:x:1000:1001:A User,,,:/home/user:/bin/zsh\n"
			 "userx:x:1002:1001::/home/x:\n"
			 "bare:x:1003:7::");
	write_to(group,
		"root:x:0:\nwheel:x:10:root,user\nusers:x:1001:user\nother:x:12:userx,xuser\nbad:x:y:user\nlast:x:13:user");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(passwd) | unlink(group);
}

static void entries(void **state)
{
	struct hold hold = { NULL };
	const struct run_as *user = user_by_name(&files, &hold, "user");

	(void)state;
	assert_non_null(user);
	assert_string_equal(user->name, "user");
	assert_string_equal(user->home, "/home/user");
	assert_string_equal(user->shell, "/bin/zsh");
	assert_int_equal(user->uid, 1000);
	assert_int_equal(user->gid, 1001);
	assert_int_equal(user->group_count, 3);
	assert_int_equal(user->groups[0], 1001);
	assert_int_equal(user->groups[1], 10);
	assert_int_equal(user->groups[2], 13);
	user = user_by_uid(&files, &hold, 1003);
	assert_non_null(user);
	assert_string_equal(user->name, "bare");
	assert_string_equal(user->home, "/");
	assert_string_equal(user->shell, "/bin/sh");
	assert_int_equal(user->group_count, 1);
	user = user_by_name(&files, &hold, "userx");
	assert_non_null(user);
	assert_string_equal(user->shell, "/bin/sh");
	hold_free(&hold);
}

static void nobody(void **state)
{
	static const char *const names[] = { "use", "users", "", "broken", "minus", "huge", "# a comment", "user:x",
		NULL };
	const struct user_files missing = { "/nonexistent/passwd", "/nonexistent/group" };
	const struct user_files no_groups = { passwd, "/nonexistent/group" };
	struct hold hold = { NULL };

	(void)state;
	for (const char *const *name = names; *name; name++)
		assert_null(user_by_name(&files, &hold, *name));
	assert_null(user_by_uid(&files, &hold, 4711));
	assert_null(user_by_name(&missing, &hold, "user"));
	assert_int_equal(user_by_name(&no_groups, &hold, "user")->group_count, 1);
	hold_free(&hold);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(entries), cmocka_unit_test(nobody) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
