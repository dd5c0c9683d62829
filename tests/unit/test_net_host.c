/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and the patterns of browser.allow_hosts: all spellings of one host are one, and nothing else is. */
#include "policy/net_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

static struct net_host parsed(const char *text)
{
	struct net_host host;

	if (net_host_parse(str_of(text), &host) < 0)
		fail_msg("'%s' is no host", text);
	return host;
}

static bool allows(const char *pattern, const char *text)
{
	struct net_host host = parsed(text);

	if (host.port == 0)
		host.port = 80;
	return net_pattern_matches(str_of(pattern), &host);
}

static void is(const char *text, enum net_host_kind kind, const char *canonical, unsigned port)
{
	struct net_host host = parsed(text);

	assert_int_equal(host.kind, kind);
	assert_string_equal(host.text, canonical);
	assert_int_equal(host.port, port);
}

static void test_spellings(void **state)
{
	(void)state;
	is("example.com", NET_HOST_NAME, "example.com", 0);
	is("EXAMPLE.Com.:8080", NET_HOST_NAME, "example.com", 8080);
	is("localhost", NET_HOST_NAME, "localhost", 0);
	is("my_host-1", NET_HOST_NAME, "my_host-1", 0);
	is("xn--bcher-kva.example", NET_HOST_NAME, "xn--bcher-kva.example", 0);
	is("1.example", NET_HOST_NAME, "1.example", 0);
	is("127.0.0.1:65535", NET_HOST_V4, "127.0.0.1", 65535);
	is("[::1]", NET_HOST_V6, "::1", 0);
	is("[2001:DB8:0:0:0:0:0:1]:443", NET_HOST_V6, "2001:db8::1", 443);
	/* The IPv4 address that is inside is meant. */
	is("[::ffff:127.0.0.1]:80", NET_HOST_V4, "127.0.0.1", 80);
	is("[::FFFF:7f00:1]", NET_HOST_V4, "127.0.0.1", 0);
}

static void test_no_hosts(void **state)
{
	static const char *const none[] = { "", ".", "..", "a..b", ".a", "a..", ":80", "a:", "a:0", "a:65536", "a:-1",
		"a:8x", "a b", "a/b", "u@a", "a%41", "*", "*.a", "b\303\274cher", "[", "[]", "[::1", "[::1]x",
		"[::1]:", "[::1]:0", "::1", "[1.2.3.4]", "[fe80::1%eth0]", "127.1", "1", "0x7f000001", "a.0x",
		"127.0.0.1.", "256.1.1.1", "01.2.3.4", "1.2.3.4.5", "a:80:80", "[::1]:80:80" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		struct net_host host;

		if (net_host_parse(str_of(none[i]), &host) == 0)
			fail_msg("'%s' is taken for '%s'", none[i], host.text);
	}
}

static void test_lengths(void **state)
{
	char text[300], label[80];
	struct net_host host;

	(void)state;
	memset(label, 'a', sizeof label);
	assert_int_equal(net_host_parse((struct str){ label, 63 }, &host), 0);
	assert_true(net_host_parse((struct str){ label, 64 }, &host) < 0);
	memset(text, 'a', sizeof text);
	for (size_t i = 63; i < sizeof text; i += 64)
		text[i] = '.';
	assert_int_equal(net_host_parse((struct str){ text, NET_HOST_NAME_MAX }, &host), 0);
	assert_int_equal(strlen(host.text), NET_HOST_NAME_MAX);
	assert_true(net_host_parse((struct str){ text, NET_HOST_NAME_MAX + 1 }, &host) < 0);
	assert_true(net_host_parse((struct str){ "a\0b", 3 }, &host) < 0);
}

static void test_what_patterns_match(void **state)
{
	static const struct {
		const char *pattern, *host;
		bool matches;
	} all[] = {
		{ "*", "anything.example", true },
		{ "*", "[::1]:99", true },
		{ "*:443", "a.example:443", true },
		{ "*:443", "a.example:80", false },
		{ "Example.COM", "example.com.", true },
		{ "example.com.", "EXAMPLE.com", true },
		{ "example.com", "www.example.com", false },
		{ "example.com", "example.com.evil.example", false },
		{ "example.com", "notexample.com", false },
		{ "example.com:8080", "example.com:8080", true },
		{ "example.com:8080", "example.com", false },
		{ "example.com", "example.com:8080", true },
		{ "*.example.com", "www.example.com", true },
		{ "*.example.com", "a.b.EXAMPLE.com.", true },
		{ "*.example.com", "example.com", false },
		{ "*.example.com", "notexample.com", false },
		{ "*.example.com:81", "www.example.com:81", true },
		{ "*.example.com:81", "www.example.com:82", false },
		{ "localhost", "localhost:3000", true },
		{ "localhost", "127.0.0.1", false },
		{ "127.0.0.1", "localhost", false },
		{ "127.0.0.1", "127.0.0.2", false },
		{ "127.0.0.1", "[::ffff:127.0.0.1]", true },
		{ "[::1]", "[0:0:0:0:0:0:0:1]", true },
		{ "::1", "[::1]:8000", true },
		{ "2001:DB8::1", "[2001:db8:0::1]", true },
		{ "[::1]:8000", "[::1]:8000", true },
		{ "[::1]:8000", "[::1]:8001", false },
		{ "[::1]", "127.0.0.1", false },
		{ "xn--bcher-kva.example", "XN--bcher-kva.example", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (allows(all[i].pattern, all[i].host) != all[i].matches)
			fail_msg("'%s' and '%s'", all[i].pattern, all[i].host);
	}
}

static void test_what_is_no_pattern(void **state)
{
	static const char *const none[] = { "", "**", "*a", "*.", "*.*", "a.*", "www.*.com", "*:0", "*:", "*.127.0.0.1",
		"*.[::1]", "http://a", "a/b", "a:b", "127.0.0.0/8", "b\303\274cher.example", "a b", " a", "*.1" };
	struct net_host host = parsed("a:80");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		if (net_pattern_is_valid(str_of(none[i])) || net_pattern_matches(str_of(none[i]), &host))
			fail_msg("'%s' is taken for a pattern", none[i]);
	}
	assert_true(net_pattern_is_valid(STR("*")));
	assert_true(net_pattern_is_valid(STR("*.a:1")));
	assert_true(net_pattern_is_valid(STR("fe80::1")));
}

static void test_lists(void **state)
{
	static const char *const some[] = { "a.example", "*.b.example:80", NULL }, *const none[] = { NULL };
	struct net_host a = parsed("a.example:1"), b = parsed("x.b.example:80"), c = parsed("b.example:80");

	(void)state;
	assert_true(net_patterns_allow(some, &a));
	assert_true(net_patterns_allow(some, &b));
	assert_false(net_patterns_allow(some, &c));
	assert_false(net_patterns_allow(none, &a));
	assert_false(net_patterns_allow(NULL, &a));
}

static void test_own(void **state)
{
	static const char *const own[] = { "127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "[::1]", "[::]",
		"[fe80::1]", "[febf::1]", "[::ffff:127.0.0.1]" };
	static const char *const foreign[] = { "10.0.0.1", "169.253.0.1", "[fec0::1]", "[::2]", "[2001:db8::1]",
		"localhost" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		struct net_host host = parsed(own[i]);

		assert_true(net_host_is_own(&host));
	}
	for (size_t i = 0; i < ARRAY_LEN(foreign); i++) {
		struct net_host host = parsed(foreign[i]);

		assert_false(net_host_is_own(&host));
	}
}

static void test_equal(void **state)
{
	struct net_host a = parsed("a:80"), b = parsed("A.:80"), other_port = parsed("a:81"),
			address = parsed("1.2.3.4:80");

	(void)state;
	assert_true(net_host_eq(&a, &b));
	assert_false(net_host_eq(&a, &other_port));
	assert_false(net_host_eq(&a, &address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_no_hosts),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_what_patterns_match),
		cmocka_unit_test(test_what_is_no_pattern),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
