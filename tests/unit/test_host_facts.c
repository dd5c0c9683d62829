/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc and /etc say, and what becomes of it where something is missing. */
#include "fixture_tree.h"

#include "ops/system/host_facts.h"
#include "ops/system/host_files.h"
#include "ops/system/measure.h"

#include "base/clock.h"

static void memory(void **state)
{
	struct host_memory m;

	(void)state;
	host_parse_memory(
		"MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\nBuffers:          10 kB\n"
		"Cached:          300 kB\nSwapCached:        7 kB\nShmem:            50 kB\n",
		&m);
	assert_int_equal(m.total.value, 1000 * 1024);
	assert_int_equal(m.available.value, 600 * 1024);
	assert_int_equal(m.cache.value, 260 * 1024);
	/* Kernels before 3.14. */
	host_parse_memory("MemTotal: 1000 kB\nMemFree: 100 kB\nCached: 300 kB\n", &m);
	assert_int_equal(m.available.value, 400 * 1024);
	host_parse_memory("", &m);
	assert_false(m.total.set || m.available.set || m.cache.set);
	host_parse_memory("MemTotal: many kB\n", &m);
	assert_false(m.total.set);
}

static void load(void **state)
{
	struct host_load l;

	(void)state;
	host_parse_load("0.50 1.25 2.00 1/234 5678\n", &l);
	assert_true(l.one.value == 0.5 && l.five.value == 1.25 && l.fifteen.value == 2);
	host_parse_load("nothing", &l);
	assert_false(l.one.set || l.five.set || l.fifteen.set);
}

static void cpu(void **state)
{
	struct host_cpu c;

	(void)state;
	host_parse_cpu("cpu  10 20 30 40 5 6 7 8 9 10\ncpu0 1 1 1 1\n", &c);
	assert_true(c.set);
	assert_int_equal(c.total, 10 + 20 + 30 + 40 + 5 + 6 + 7 + 8);
	assert_int_equal(c.idle, 45);
	host_parse_cpu("cpu0 1 2 3 4\n", &c);
	assert_false(c.set);
	host_parse_cpu("cpu 1 x\n", &c);
	assert_false(c.set);
}

static void network(void **state)
{
	struct host_network n;

	(void)state;
	host_parse_network("Inter-|   Receive                            |  Transmit\n"
			   " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
			   "    lo: 999 9 0 0 0 0 0 0 999 9 0 0 0 0 0 0\n"
			   "  eth0:100 1 0 0 0 0 0 0 40 1 0 0 0 0 0 0\n"
			   " wlan0: 11 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0\n",
		&n);
	assert_true(n.set);
	assert_int_equal(n.rx_bytes, 111);
	assert_int_equal(n.tx_bytes, 42);
	host_parse_network("", &n);
	assert_false(n.set);
}

static void os_release(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64 * 1024);
	assert_string_equal(
		host_parse_os_release(&arena, "NAME=\"Alpine Linux\"\nPRETTY_NAME=\"Alpine Linux v3.19\"\n"),
		"Alpine Linux v3.19");
	assert_string_equal(host_parse_os_release(&arena, "PRETTY_NAME='It\\'s \\$5'\n"), "It's $5");
	assert_string_equal(host_parse_os_release(&arena, "NAME=Void\n"), "Void");
	assert_string_equal(host_parse_os_release(&arena, "# c\nNAME=Fedora\nVERSION_ID=\"39\"\n"), "Fedora 39");
	assert_null(host_parse_os_release(&arena, "ID=x\nMY_PRETTY_NAME=y\n"));
	assert_null(host_distro(&arena, tree));
	put_file("/usr/lib/os-release", "PRETTY_NAME=Two\n");
	assert_string_equal(host_distro(&arena, tree), "Two");
	put_file("/etc/os-release", "PRETTY_NAME=One\n");
	assert_string_equal(host_distro(&arena, tree), "One");
	arena_free(&arena);
}

static void container(void **state)
{
	(void)state;
	assert_null(host_container(tree));
	put_file("/proc/self/cgroup", "0::/user.slice\n");
	assert_null(host_container(tree));
	put_file("/proc/self/cgroup", "3:cpu:/lxc/box\n");
	assert_string_equal(host_container(tree), "lxc");
	put_file("/run/.containerenv", "");
	assert_string_equal(host_container(tree), "podman");
	put_file("/.dockerenv", "");
	assert_string_equal(host_container(tree), "docker");
	put_file("/var/run/secrets/kubernetes.io/serviceaccount/token", "");
	assert_string_equal(host_container(tree), "kubernetes");
}

static void uptime(void **state)
{
	char stat[256];

	(void)state;
	assert_false(host_uptime(tree).set);
	put_file("/proc/uptime", "500.25 900.00\n");
	assert_true(host_uptime(tree).value == 500.25);
	/* A name may hold what looks like the end of it. */
	snprintf(stat, sizeof stat, "1 (a) b) S 0 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 %ld 1 1\n",
		400 * sysconf(_SC_CLK_TCK));
	put_file("/proc/1/stat", stat);
	assert_true(host_uptime(tree).value == 100.25);
	put_file("/proc/17/stat", "");
	put_file("/proc/self/stat", "");
	assert_int_equal(host_processes(tree).value, 2);
}

static void files(void **state)
{
	uint64_t value;
	char *text;

	(void)state;
	put_file("/n", "42\n");
	assert_int_equal(host_read_number(tree, "/n", &value), 0);
	assert_int_equal(value, 42);
	for (size_t i = 0; i < 4; i++) {
		static const char *const bad[] = { "max\n", "-1\n", "99999999999999999999999\n", "4x\n" };

		put_file("/n", bad[i]);
		assert_true(host_read_number(tree, "/n", &value) < 0);
	}
	assert_true(host_read_number(tree, "/none", &value) < 0);
	put_file("/text", "0123456789");
	assert_null(host_read(tree, "/text", 9));
	text = host_read(tree, "/text", 10);
	assert_string_equal(text, "0123456789");
	free(text);
	assert_null(host_read(tree, "/", 10));
}

static const struct opt_int none;

static struct opt_int some(int64_t value)
{
	return (struct opt_int){ true, value };
}

static void whose_memory_counts(void **state)
{
	struct host_memory host = { some(1000), some(700), some(100) };
	struct cgroup_facts group = { 0 };
	struct memory_figures m;

	(void)state;
	measure_memory(&group, &host, &m);
	assert_int_equal(m.total.value, 1000);
	assert_int_equal(m.used.value, 300);
	assert_int_equal(m.cache.value, 100);
	assert_false(m.limit.set);
	/* A limit over what the machine has is told, and does not count. */
	group.memory_limit = some(5000);
	measure_memory(&group, &host, &m);
	assert_int_equal(m.total.value, 1000);
	assert_int_equal(m.limit.value, 5000);
	group = (struct cgroup_facts){ .memory_limit = some(256), .memory_used = some(200), .memory_cache = some(20) };
	measure_memory(&group, &host, &m);
	assert_int_equal(m.total.value, 256);
	assert_int_equal(m.used.value, 200);
	assert_int_equal(m.available.value, 56);
	assert_int_equal(m.cache.value, 20);
	assert_int_equal(m.host_total.value, 1000);
	/* What is not known is neither 0 nor the machine's. */
	group.memory_used = none;
	measure_memory(&group, &host, &m);
	assert_false(m.used.set || m.available.set);
	host = (struct host_memory){ 0 };
	group = (struct cgroup_facts){ 0 };
	measure_memory(&group, &host, &m);
	assert_false(m.total.set || m.used.set || m.available.set);
}

static void use_of_the_cpu(void **state)
{
	struct measure_sample a = { .cpu = { true, 1000, 400 } }, b = { .cpu = { true, 2000, 650 }, .at_ns = NS_PER_S };

	(void)state;
	assert_true(measure_cpu(&a, &b).value == 75);
	/* Half a CPU, of which all was used. */
	a.group.cpu_seconds = (struct opt_num){ true, 10 };
	b.group.cpu_seconds = (struct opt_num){ true, 10.5 };
	b.group.cpu_quota = (struct opt_num){ true, 0.5 };
	assert_true(measure_cpu(&a, &b).value == 100);
	b.group.cpu_seconds.set = false;
	assert_false(measure_cpu(&a, &b).set);
	assert_false(measure_cpu(&a, &a).set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory),
		cmocka_unit_test(load),
		cmocka_unit_test(cpu),
		cmocka_unit_test(network),
		TREE_TEST(os_release),
		TREE_TEST(container),
		TREE_TEST(uptime),
		TREE_TEST(files),
		cmocka_unit_test(whose_memory_counts),
		cmocka_unit_test(use_of_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
