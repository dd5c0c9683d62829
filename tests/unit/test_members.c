/* SPDX-License-Identifier: Apache-2.0 */
/* Processes are told apart by number and start, whatever they call themselves. */
#include "spawn/members.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_a_name_may_hold_anything(void **state)
{
	static const char *const names[] = { "plain", "a) S 1 1", ") (", "x\n) Z 9", "" };
	char before[16];

	(void)state;
	prctl(PR_GET_NAME, before);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct member one;

		prctl(PR_SET_NAME, names[i]);
		assert_int_equal(member_read(getpid(), &one), 0);
		assert_int_equal(one.pid, getpid());
		assert_int_equal(one.parent, getppid());
		assert_int_equal(one.session, getsid(0));
		assert_int_equal(one.state, 'R');
		assert_true(one.start > 0);
	}
	prctl(PR_SET_NAME, before);
}

static void test_a_signal_goes_to_this_one_or_nobody(void **state)
{
	struct member one;
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(member_read(pid, &one), 0);
	one.start++;
	assert_int_equal(member_signal(&one, SIGKILL), -ESRCH);
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	one.start--;
	assert_int_equal(member_signal(&one, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(member_signal(&one, SIGKILL), -ESRCH);
	assert_int_equal(member_read(pid, &one), -ESRCH);
}

static void test_never_the_first_process_nor_ourselves(void **state)
{
	struct member one;

	(void)state;
	assert_int_equal(member_read(1, &one), 0);
	assert_int_equal(member_signal(&one, 0), -EPERM);
	assert_int_equal(member_read(getpid(), &one), 0);
	assert_int_equal(member_signal(&one, 0), -EPERM);
}

/* A child of ours and its child: by the parent chain, by what was seen, and not by a foreign mark. */
static void test_who_belongs_to_a_leader(void **state)
{
	struct members found CLEANUP(members_free) = { 0 };
	struct members_of whose = { .mark = "ABX_RUN_ID=none" };
	struct members seen CLEANUP(members_free) = { 0 };
	struct member one;
	int ready[2];
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		pid_t below = fork();

		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		if (below > 0)
			waitpid(below, NULL, 0);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(members_find(&found, &whose), 0);
	assert_int_equal(found.count, 0);
	whose.leader = pid;
	assert_int_equal(members_find(&found, &whose), 0);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.all[0].pid, pid);
	assert_int_equal(found.all[1].parent, pid);
	whose.leader = 0;
	members_add(&seen, &found.all[0]);
	whose.seen = &seen;
	assert_int_equal(members_find(&found, &whose), 0);
	assert_int_equal(found.count, 2);
	/* The same number with another start is somebody else. */
	seen.all[0].start++;
	assert_int_equal(members_find(&found, &whose), 0);
	assert_int_equal(found.count, 0);
	whose.leader = pid;
	assert_int_equal(members_find(&found, &whose), 0);
	one = found.all[1];
	assert_int_equal(member_signal(&one, SIGKILL), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_may_hold_anything),
		cmocka_unit_test(test_a_signal_goes_to_this_one_or_nobody),
		cmocka_unit_test(test_never_the_first_process_nor_ourselves),
		cmocka_unit_test(test_who_belongs_to_a_leader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
