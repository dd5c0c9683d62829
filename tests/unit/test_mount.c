/* SPDX-License-Identifier: Apache-2.0 */
/* Our own cgroup is found on the layouts that machines and containers really have. */
#include "spawn/mount.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define ROOT "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"

static void expect(const char *mounts, const char *cgroups, const char *controller, const char *expected)
{
	char path[MOUNT_PATH_SIZE] = "";
	int result = mount_cgroup(mounts, cgroups, controller, path);

	if (!expected) {
		assert_int_equal(result, -ENOENT);
		return;
	}
	assert_int_equal(result, 0);
	assert_string_equal(path, expected);
}

static void test_v2_alone(void **state)
{
	const char *mounts = ROOT "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

	(void)state;
	expect(mounts, "0::/system.slice/abx.service\n", NULL, "/sys/fs/cgroup/system.slice/abx.service");
	expect(mounts, "0::/\n", NULL, "/sys/fs/cgroup/");
	expect(mounts, "0::/\n", "memory", NULL);
	expect(mounts, "", NULL, NULL);
	expect(ROOT, "0::/\n", NULL, NULL);
	expect("", "", NULL, NULL);
}

static void test_a_hybrid(void **state)
{
	const char *mounts = ROOT "31 20 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
				  "35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
				  "36 31 0:33 / /sys/fs/cgroup/memory rw shared:9 master:2 - cgroup cgroup rw,memory\n"
				  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
	const char *cgroups = "9:name=systemd:/\n5:cpu,cpuacct:/c\n4:memory:/api/12\n0::/user\n";

	(void)state;
	expect(mounts, cgroups, NULL, "/sys/fs/cgroup/unified/user");
	expect(mounts, cgroups, "memory", "/sys/fs/cgroup/memory/api/12");
	expect(mounts, cgroups, "cpuacct", "/sys/fs/cgroup/cpu,cpuacct/c");
	expect(mounts, cgroups, "pids", NULL);
}

static void test_a_part_of_the_hierarchy(void **state)
{
	const char *mounts = "30 20 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";

	(void)state;
	expect(mounts, "0::/docker/abc\n", NULL, "/sys/fs/cgroup");
	expect(mounts, "0::/docker/abc/x\n", NULL, "/sys/fs/cgroup/x");
	/* Like-named, or elsewhere: not to be seen from here. */
	expect(mounts, "0::/docker/abcd\n", NULL, NULL);
	expect(mounts, "0::/other\n", NULL, NULL);
	expect("30 20 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "0::/../..\n", NULL, NULL);
	/* The second mount shows what the first does not. */
	expect("30 20 0:26 /a /m rw - cgroup2 c rw\n31 20 0:26 /b /n rw - cgroup2 c rw\n", "0::/b/c\n", NULL, "/n/c");
}

static void test_blanks_in_names(void **state)
{
	(void)state;
	expect("30 20 0:26 / /my\\040mount\\134 rw - cgroup2 c rw\n", "0::/a b\n", NULL, "/my mount\\/a b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2_alone),
		cmocka_unit_test(test_a_hybrid),
		cmocka_unit_test(test_a_part_of_the_hierarchy),
		cmocka_unit_test(test_blanks_in_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
