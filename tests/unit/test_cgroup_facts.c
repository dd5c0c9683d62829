/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and use of memory and CPU on the layouts of v1, v2 and both (R78, B112, B113). */
#include "fixture_tree.h"

#include "ops/system/cgroup_facts.h"

#define MIB (1024 * 1024)
#define V2 "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define V1 \
	"31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" \
	"32 20 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" \
	"33 20 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"

static struct cgroup_facts facts;

static void look(const char *mounts, const char *groups)
{
	put_file("/proc/self/mountinfo", mounts);
	put_file("/proc/self/cgroup", groups);
	cgroup_facts_read(tree, &facts);
}

static void expect_nothing(void)
{
	assert_false(facts.memory_limit.set || facts.memory_used.set || facts.memory_cache.set);
	assert_false(facts.cpu_quota.set || facts.cpu_seconds.set);
}

static void v2_own_limits(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/box/memory.max", "268435456\n");
	put_file("/sys/fs/cgroup/box/memory.current", "230686720\n");
	put_file("/sys/fs/cgroup/box/memory.stat",
		"anon 200000000\nfile 20971520\nactive_file 10485760\ninactive_file 10485760\n");
	put_file("/sys/fs/cgroup/box/cpu.max", "50000 100000\n");
	put_file("/sys/fs/cgroup/box/cpu.stat", "usage_usec 1500000\nuser_usec 1000000\n");
	look(V2, "0::/box\n");
	assert_int_equal(facts.memory_limit.value, 256 * MIB);
	assert_int_equal(facts.memory_used.value, 200 * MIB);
	assert_int_equal(facts.memory_cache.value, 20 * MIB);
	assert_true(facts.cpu_quota.set && facts.cpu_quota.value == 0.5);
	assert_true(facts.cpu_seconds.set && facts.cpu_seconds.value == 1.5);
}

static void v2_the_tightest_on_the_way_up(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/pod/box/memory.max", "max\n");
	put_file("/sys/fs/cgroup/pod/box/memory.current", "1048576\n");
	put_file("/sys/fs/cgroup/pod/memory.max", "536870912\n");
	put_file("/sys/fs/cgroup/pod/memory.current", "104857600\n");
	put_file("/sys/fs/cgroup/pod/memory.stat", "active_file 0\ninactive_file 4194304\n");
	put_file("/sys/fs/cgroup/memory.max", "1073741824\n");
	put_file("/sys/fs/cgroup/pod/box/cpu.max", "200000 100000\n");
	put_file("/sys/fs/cgroup/pod/cpu.max", "150000 100000\n");
	put_file("/sys/fs/cgroup/pod/cpu.stat", "usage_usec 7000000\n");
	put_file("/sys/fs/cgroup/cpu.max", "max 100000\n");
	look(V2, "0::/pod/box\n");
	assert_int_equal(facts.memory_limit.value, 512 * MIB);
	assert_int_equal(facts.memory_used.value, 96 * MIB);
	assert_true(facts.cpu_quota.value == 1.5 && facts.cpu_seconds.value == 7);
}

static void v2_without_limits(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/box/memory.max", "max\n");
	put_file("/sys/fs/cgroup/box/cpu.max", "max 100000\n");
	put_file("/sys/fs/cgroup/box/cpu.stat", "usage_usec 1000000\n");
	look(V2, "0::/box\n");
	assert_false(facts.memory_limit.set || facts.memory_used.set || facts.cpu_quota.set);
	assert_true(facts.cpu_seconds.value == 1);
}

static void v1_limits(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes", "268435456\n");
	put_file("/sys/fs/cgroup/memory/docker/a/memory.usage_in_bytes", "33554432\n");
	put_file("/sys/fs/cgroup/memory/docker/a/memory.stat",
		"active_file 5\nhierarchical_memory_limit 268435456\ntotal_active_file 1048576\ntotal_inactive_file 1048576\n");
	put_file("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("/sys/fs/cgroup/cpu/docker/a/cpu.cfs_quota_us", "25000\n");
	put_file("/sys/fs/cgroup/cpu/docker/a/cpu.cfs_period_us", "100000\n");
	put_file("/sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "-1\n");
	put_file("/sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
	put_file("/sys/fs/cgroup/cpuacct/docker/a/cpuacct.usage", "2500000000\n");
	look(V1, "4:memory:/docker/a\n3:cpu:/docker/a\n2:cpuacct:/docker/a\n");
	assert_int_equal(facts.memory_limit.value, 256 * MIB);
	assert_int_equal(facts.memory_used.value, 30 * MIB);
	assert_true(facts.cpu_quota.value == 0.25 && facts.cpu_seconds.value == 2.5);
}

/* The time is that of the group with the quota, which is one above. */
static void v1_quota_above(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
	put_file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "300000\n");
	put_file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
	put_file("/sys/fs/cgroup/cpuacct/a/b/cpuacct.usage", "1000000000\n");
	put_file("/sys/fs/cgroup/cpuacct/a/cpuacct.usage", "5000000000\n");
	look(V1, "3:cpu:/a/b\n2:cpuacct:/a/b\n");
	assert_true(facts.cpu_quota.value == 3 && facts.cpu_seconds.value == 5);
}

static void v1_no_limit(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "33554432\n");
	put_file("/sys/fs/cgroup/memory/memory.stat",
		"hierarchical_memory_limit 9223372036854771712\ntotal_active_file 1\ntotal_inactive_file 1\n");
	look(V1, "4:memory:/\n");
	expect_nothing();
}

/* The limit lies above the part of the hierarchy that is mounted here. */
static void v1_hidden_limit(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "8388608\n");
	put_file("/sys/fs/cgroup/memory/memory.stat",
		"hierarchical_memory_limit 134217728\ntotal_active_file 0\ntotal_inactive_file 0\n");
	look("31 20 0:27 /pod /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/pod\n");
	assert_int_equal(facts.memory_limit.value, 128 * MIB);
	assert_int_equal(facts.memory_used.value, 8 * MIB);
}

static void a_hybrid(void **state)
{
	(void)state;
	put_file("/sys/fs/cgroup/unified/u/cgroup.procs", "");
	put_file("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "67108864\n");
	look("30 20 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n" V1, "4:memory:/m\n0::/u\n");
	assert_int_equal(facts.memory_limit.value, 64 * MIB);
	assert_false(facts.memory_used.set);
}

static void nothing_to_be_read(void **state)
{
	(void)state;
	cgroup_facts_read(tree, &facts);
	expect_nothing();
	look("20 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "0::/box\n");
	expect_nothing();
	look(V2, "0::/box\n");
	expect_nothing();
	put_file("/sys/fs/cgroup/box/memory.max", "not a number\n");
	put_file("/sys/fs/cgroup/box/cpu.max", "5\n");
	look(V2, "0::/box\n");
	expect_nothing();
	/* A limit is known though its use is not. */
	put_file("/sys/fs/cgroup/box/memory.max", "1048576\n");
	look(V2, "0::/box\n");
	assert_true(facts.memory_limit.set && !facts.memory_used.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(v2_own_limits),
		TREE_TEST(v2_the_tightest_on_the_way_up),
		TREE_TEST(v2_without_limits),
		TREE_TEST(v1_limits),
		TREE_TEST(v1_quota_above),
		TREE_TEST(v1_no_limit),
		TREE_TEST(v1_hidden_limit),
		TREE_TEST(a_hybrid),
		TREE_TEST(nothing_to_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
