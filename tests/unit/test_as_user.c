/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only root can be somebody else: elsewhere the test is skipped, but for the refusal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/as_user.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USER = 12345, GROUP = 12346, FURTHER = 12347 };

static const gid_t groups[] = { GROUP, FURTHER };
static const struct as_user somebody = { USER, GROUP, groups, ARRAY_LEN(groups) };

static char folder[] = "/tmp/abx-test-as-user-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static int make(const char *name, struct stat *ret_st)
{
	AUTOCLOSE int fd = open(in_folder(name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fstat(fd, ret_st);
}

static bool opens(const char *name)
{
	AUTOCLOSE int fd = open(in_folder(name), O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && chmod(folder, 0777) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(in_folder("theirs"));
	unlink(in_folder("ours"));
	unlink(in_folder("secret"));
	unlink(in_folder("shared"));
	return rmdir(folder);
}

static void not_root(void **state)
{
	struct as_self self;

	(void)state;
	if (geteuid() == 0)
		skip();
	assert_int_equal(as_user_enter(&somebody, &self), -EPERM);
}

static void what_is_made_is_theirs(void **state)
{
	struct as_self self;
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(as_user_enter(&somebody, &self), 0);
	assert_int_equal(make("theirs", &st), 0);
	as_user_leave(&self);
	assert_int_equal(st.st_uid, USER);
	assert_int_equal(st.st_gid, GROUP);
	assert_int_equal(make("ours", &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_gid, getegid());
}

static void they_may_no_more_than_themselves(void **state)
{
	struct as_self self;
	struct stat st;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(make("secret", &st), 0);
	assert_int_equal(make("shared", &st), 0);
	assert_int_equal(chown(in_folder("shared"), 0, FURTHER), 0);
	assert_int_equal(chmod(in_folder("shared"), 0040), 0);
	assert_int_equal(as_user_enter(&somebody, &self), 0);
	assert_false(opens("secret"));
	assert_true(opens("shared"));
	as_user_leave(&self);
	assert_true(opens("secret"));
}

/* Another thread is somebody else, and says how many groups it has. */
static void *be_somebody(void *ret_groups)
{
	struct as_self self;

	if (as_user_enter(&somebody, &self) == 0)
		*(int *)ret_groups = getgroups(0, NULL);
	return NULL; /* and stays so */
}

static void other_threads_stay_what_they_are(void **state)
{
	int before = getgroups(0, NULL), theirs = -1;
	struct stat st;
	pthread_t thread;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, be_somebody, &theirs), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(theirs, ARRAY_LEN(groups));
	assert_int_equal(getgroups(0, NULL), before);
	assert_int_equal(unlink(in_folder("ours")), 0);
	assert_int_equal(make("ours", &st), 0);
	assert_int_equal(st.st_uid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_root),
		cmocka_unit_test(what_is_made_is_theirs),
		cmocka_unit_test(they_may_no_more_than_themselves),
		cmocka_unit_test(other_threads_stay_what_they_are),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
