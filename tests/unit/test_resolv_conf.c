/* SPDX-License-Identifier: Apache-2.0 */
/* What the files say about names: the usual ones, and those that somebody's editor left behind. */
#include "browser/resolv_conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void test_the_usual(void **state)
{
	struct resolv_conf conf;

	(void)state;
	resolv_conf_parse(
		STR("# by somebody\nsearch a.example b.example. ; two\r\nnameserver 192.0.2.1\nnameserver\t2001:db8::1 # v6\n"
		    "options ndots:5 timeout:1 attempts:3 rotate\n"),
		&conf);
	assert_int_equal(conf.server_count, 2);
	assert_memory_equal(conf.servers[0].bytes, "\xc0\0\2\1", 4);
	assert_false(conf.servers[0].is_v6);
	assert_true(conf.servers[1].is_v6);
	assert_int_equal(conf.search_count, 2);
	assert_true(str_is(conf.search[0], "a.example"));
	assert_true(str_is(conf.search[1], "b.example"));
	assert_int_equal(conf.dots, 5);
	assert_int_equal(conf.seconds, 1);
	assert_int_equal(conf.attempts, 3);
}

static void test_nothing(void **state)
{
	struct resolv_conf conf;

	(void)state;
	resolv_conf_parse(STR(""), &conf);
	assert_int_equal(conf.server_count, 1);
	assert_memory_equal(conf.servers[0].bytes, "\x7f\0\0\1", 4);
	assert_int_equal(conf.search_count, 0);
	assert_int_equal(conf.dots, 1);
	assert_int_equal(conf.seconds, 5);
	assert_int_equal(conf.attempts, 2);
}

static void test_odd_ones(void **state)
{
	struct resolv_conf conf;

	(void)state;
	resolv_conf_parse(
		STR("nameserver\nnameserver x\nnameserver 1.2.3\nNAMESERVER 9.9.9.9\nnameserver 1.1.1.1\nnameserver 1.1.1.2\n"
		    "nameserver 1.1.1.3\nnameserver 1.1.1.4\nsearch x\ndomain y\n"
		    "options ndots:99999999999999999999 ndots:99 timeout:0 attempts:0 attempts:x\n#search z"),
		&conf);
	assert_int_equal(conf.server_count, RESOLV_SERVERS_MAX);
	assert_memory_equal(conf.servers[0].bytes, "\1\1\1\1", 4);
	/* The last of both counts. */
	assert_int_equal(conf.search_count, 1);
	assert_true(str_is(conf.search[0], "y"));
	assert_int_equal(conf.dots, 15);
	assert_int_equal(conf.seconds, 1);
	assert_int_equal(conf.attempts, 1);
	resolv_conf_parse(STR("search a b c d e f g h i\nnameserver 1.1.1.1\0nameserver 1.1.1.2"), &conf);
	assert_int_equal(conf.search_count, RESOLV_SEARCH_MAX);
	assert_int_equal(conf.server_count, 1);
}

static void test_hosts(void **state)
{
	static const char text[] =
		"127.0.0.1 localhost\n# 10.0.0.1 web\n10.0.0.2\tweb.example WEB # db\nx web\n::ffff web\n"
		"2001:db8::2 web\n10.0.0.3 db. other\n";
	struct dns_addresses found = { 0 };

	(void)state;
	hosts_find(STR(text), "web", &found);
	assert_int_equal(found.count, 3);
	assert_memory_equal(found.all[0].bytes, "\x0a\0\0\2", 4);
	assert_true(found.all[1].is_v6 && found.all[2].is_v6);
	found.count = 0;
	hosts_find(STR(text), "db", &found);
	assert_int_equal(found.count, 1);
	assert_memory_equal(found.all[0].bytes, "\x0a\0\0\3", 4);
	found.count = 0;
	hosts_find(STR(text), "nobody", &found);
	hosts_find(STR(""), "web", &found);
	assert_int_equal(found.count, 0);
	for (int i = 0; i < 20; i++)
		hosts_find(STR("10.0.0.1 many\n"), "many", &found);
	assert_int_equal(found.count, DNS_ADDRESSES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_usual),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_odd_ones),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
