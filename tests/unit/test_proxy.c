/* SPDX-License-Identifier: Apache-2.0 */
/* The browser's proxy: what it lets through, what it refuses, and that it holds little and keeps nothing. */
#include "proxy_harness.h"

#include "browser/peer_owner.h"
#include "browser/relay.h"

static const char *const some_hosts[] = { "allowed.test", "*.below.test", "far.test", "none.test", "127.0.0.1",
	"silent.test", NULL };
static const char *const no_addresses[] = { "*.below.test", "allowed.test", NULL };
static const char *const all_hosts[] = { "*", NULL };

static int begin(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){ .allow_hosts = some_hosts });
	return 0;
}

static int begin_without_addresses(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){ .allow_hosts = no_addresses });
	return 0;
}

static int begin_open(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){ .allow_hosts = all_hosts });
	return 0;
}

static int begin_impatient(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){ .allow_hosts = some_hosts,
		.head_ns = NS_PER_S,
		.connect_ns = 300 * NS_PER_MS,
		.silence_ns = 100 * NS_PER_MS });
	return 0;
}

static int begin_few(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){
		.allow_hosts = some_hosts, .max_connections = 3, .silence_ns = 100 * NS_PER_MS });
	return 0;
}

static int begin_for_somebody_else(void **state)
{
	(void)state;
	begin_with((struct proxy_settings){ .allow_hosts = some_hosts, .uid = getuid() + 1 });
	return 0;
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, begin, end)
#define CASE_WITH(fn, how) cmocka_unit_test_setup_teardown(fn, how, end)

/* --- one resource --- */

static void test_a_resource(void **state)
{
	struct end *c = ask(
		"GET http://ALLOWED.test.:%p/a/b?c=d HTTP/1.1\r\nHost: allowed.test:%p\r\nProxy-Connection: keep-alive\r\n"
		"Connection: keep-alive, X-Own\r\nX-Own: 1\r\nUpgrade: x\r\nTE: trailers\r\nX-Kept: 1, 2\r\n"
		"Proxy-Authorization: Basic eA==\r\n\r\n");
	struct end *s = server_after(0);
	char expected[300];

	(void)state;
	expect(s, "\r\n\r\n");
	snprintf(expected, sizeof expected,
		"GET /a/b?c=d HTTP/1.1\r\nHost: ALLOWED.test.:%u\r\nX-Kept: 1, 2\r\nConnection: close\r\n\r\n",
		world.port);
	assert_string_equal(s->got, expected);
	say(s, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwords");
	part(s);
	until(has_ended, c);
	assert_string_equal(c->got, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nwords");
	assert_int_equal(world.told, 0);
}

static void test_targets_without_a_path(void **state)
{
	static const struct {
		const char *method, *rest, *line;
	} all[] = { { "GET", "", "GET / HTTP/1.1\r\n" }, { "GET", "?q", "GET /?q HTTP/1.1\r\n" },
		{ "OPTIONS", "", "OPTIONS * HTTP/1.1\r\n" }, { "OPTIONS", "/", "OPTIONS / HTTP/1.1\r\n" } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		char text[200];

		snprintf(text, sizeof text, "%s HTTP://127.0.0.1:%%p%s HTTP/1.1\r\nHost: 127.0.0.1:%%p\r\n\r\n",
			all[i].method, all[i].rest);
		ask(text);
		expect(server_after(i), all[i].line);
	}
}

static void test_a_body(void **state)
{
	struct end *c = ask(
		"POST http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nContent-Length: 10\r\n\r\n01234");
	struct end *s = server_after(0);

	(void)state;
	expect(s, "\r\n\r\n01234");
	say(c, "56789");
	expect(s, "\r\n\r\n0123456789");
	say(s, "HTTP/1.1 204 No Content\r\n\r\n");
	expect(c, "204");
	/* A second request is not this server's: the browser must come anew. */
	say(c, "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n");
	until(has_ended, c);
	until(has_ended, s);
	assert_null(strstr(s->got, "GET"));
}

static void test_more_than_the_body(void **state)
{
	struct end *c = ask(
		"POST http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nContent-Length: 1\r\n\r\n01GET / HTTP/1.1");

	(void)state;
	until(has_ended, c);
	assert_int_equal(c->len, 0);
}

static void test_the_server_answers_before_the_end_of_the_body(void **state)
{
	static char block[256 * 1024];
	struct end *c = ask(
		"POST http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nContent-Length: 99999999\r\n\r\n");
	struct end *s = server_after(0);

	(void)state;
	expect(s, "\r\n\r\n");
	s->reads = false;
	assert_true(send(c->fd, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL) > 0);
	say(s, "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nno");
	shutdown(s->fd, SHUT_WR);
	until(has_ended, c);
	assert_string_equal(c->got, "HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\nno");
}

/* --- tunnels --- */

static void test_a_tunnel(void **state)
{
	struct end *c = ask("CONNECT allowed.test:%p HTTP/1.1\r\nHost: allowed.test:%p\r\n\r\nearly");
	struct end *s = server_after(0);

	(void)state;
	expect(s, "early");
	expect(c, "HTTP/1.1 200 Connection established\r\n\r\n");
	say(s, "from the server");
	expect(c, "\r\n\r\nfrom the server");
	say(c, " and more");
	expect(s, "early and more");
	/* One way ends, the other goes on. */
	shutdown(c->fd, SHUT_WR);
	until(has_ended, s);
	say(s, "; still here");
	expect(c, "from the server; still here");
	part(s);
	until(has_ended, c);
}

static void test_the_server_ends_its_way_first(void **state)
{
	struct end *c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	struct end *s = server_after(0);

	(void)state;
	say(s, "all");
	shutdown(s->fd, SHUT_WR);
	until(has_ended, c);
	say(c, "not all yet");
	expect(s, "not all yet");
	part(c);
	until(has_ended, s);
}

static void test_a_reset_goes_through(void **state)
{
	struct linger at_once = { 1, 0 };
	struct end *c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	struct end *s = server_after(0);

	(void)state;
	expect(c, "200");
	setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	part(s);
	until(has_ended, c);
	until(nobody_is_there, NULL);
}

/* Sends until nothing more goes in, also after a while: how much that was. */
static size_t flood(const struct end *from)
{
	static char block[64 * 1024];
	size_t sent = 0, before;

	do {
		ssize_t len;

		before = sent;
		while ((len = send(from->fd, block, sizeof block, MSG_DONTWAIT | MSG_NOSIGNAL)) > 0)
			sent += (size_t)len;
		within(50, NULL, NULL);
	} while (sent > before);
	return sent;
}

static bool has_come(const void *what)
{
	return wanted.end->len >= *(const size_t *)what;
}

static void holds_little(struct end *from, struct end *to)
{
	size_t sent;

	to->reads = false;
	sent = flood(from);
	assert_in_range(budget_used(), 1, 2 * RELAY_HELD_MAX + 4096);
	to->reads = true;
	wanted.end = to;
	sent += to->len;
	until(has_come, &sent);
	assert_int_equal(to->len, sent);
	/* An idle tunnel holds nothing. */
	assert_int_equal(budget_used(), 0);
}

static void test_who_does_not_read_makes_the_other_wait(void **state)
{
	struct end *c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	struct end *s = server_after(0);

	(void)state;
	expect(c, "200");
	holds_little(s, c);
	holds_little(c, s);
}

/* --- what is refused --- */

static void test_a_host_that_is_not_allowed(void **state)
{
	struct end *c = ask("GET http://other.test:%p/ HTTP/1.1\r\nHost: other.test:%p\r\n\r\n");
	char expected[64];

	(void)state;
	until(has_ended, c);
	assert_int_equal(strncmp(c->got, "HTTP/1.1 403 Forbidden\r\n", 24), 0);
	snprintf(expected, sizeof expected, "'other.test:%u' (policy:browser.allow_hosts)\n", world.port);
	assert_non_null(strstr(c->got, expected));
	snprintf(expected, sizeof expected, "other.test:%u", world.port);
	assert_string_equal(world.refused, expected);
	c = ask("CONNECT Below.test:443 HTTP/1.1\r\nHost: below.test:443\r\n\r\n");
	until(has_ended, c);
	assert_int_equal(strncmp(c->got, "HTTP/1.1 403 ", 13), 0);
	assert_string_equal(world.refused, "below.test:443");
	c = ask("HEAD http://[::1]:%p/ HTTP/1.1\r\nHost: [::1]:%p\r\n\r\n");
	until(has_ended, c);
	assert_string_equal(strstr(c->got, "\r\n\r\n"), "\r\n\r\n");
	assert_int_equal(proxy_refused(world.proxy), 3);
	assert_int_equal(world.told, 3);
	assert_int_equal(world.accepted_count, 0);
	assert_int_equal(world.asked, 0);
}

static void test_a_name_must_not_lead_here(void **state)
{
	struct end *c = ask("GET http://a.below.test:%p/ HTTP/1.1\r\nHost: a.below.test:%p\r\n\r\n");

	(void)state;
	expect(c, "HTTP/1.1 403 ");
	expect(c, "at the address 127.0.0.1 (policy:browser.allow_hosts)");
	assert_int_equal(proxy_refused(world.proxy), 1);
	assert_int_equal(world.accepted_count, 0);
	/* The file of this machine is trusted. */
	ask("GET http://allowed.test:%p/ HTTP/1.1\r\nHost: allowed.test:%p\r\n\r\n");
	expect(server_after(0), "GET / ");
}

static void test_a_name_may_lead_to_an_allowed_address(void **state)
{
	(void)state;
	ask("GET http://a.below.test:%p/ HTTP/1.1\r\nHost: a.below.test:%p\r\n\r\n");
	expect(server_after(0), "GET / ");
	assert_int_equal(world.asked, 2);
	/* What was found is kept. */
	ask("GET http://a.below.test:%p/2 HTTP/1.1\r\nHost: a.below.test:%p\r\n\r\n");
	expect(server_after(1), "GET /2 ");
	assert_int_equal(world.asked, 2);
}

static void test_many_ask_for_one_name(void **state)
{
	struct end *all[8];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		all[i] = ask("CONNECT b.below.test:%p HTTP/1.1\r\nHost: b.below.test:%p\r\n\r\n");
	for (unsigned i = 0; i < ARRAY_LEN(all); i++)
		expect(all[i], "200 Connection established");
	assert_int_equal(world.asked, 2);
}

static void test_not_through_us_to_us(void **state)
{
	struct end *c = client();
	char text[200];

	(void)state;
	snprintf(text, sizeof text, "CONNECT localhost:%u HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
		proxy_port(world.proxy), proxy_port(world.proxy));
	say(c, text);
	until(has_ended, c);
	assert_int_equal(strncmp(c->got, "HTTP/1.1 403 ", 13), 0);
}

static void test_everything_is_allowed(void **state)
{
	(void)state;
	ask("GET http://x.anything.test:%p/ HTTP/1.1\r\nHost: x.anything.test:%p\r\n\r\n");
	expect(server_after(0), "GET / ");
	ask("GET http://localhost:%p/2 HTTP/1.1\r\nHost: localhost:%p\r\n\r\n");
	expect(server_after(1), "GET /2 ");
}

static void test_what_is_no_request_for_a_proxy(void **state)
{
	static const struct {
		const char *text, *status;
	} all[] = {
		{ "GET / HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n", "400" },
		{ "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n", "400" },
		{ "GET https://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n", "400" },
		{ "GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400" },
		{ "GET http:///x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400" },
		{ "GET http://u@127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n", "400" },
		{ "GET http://127.1:%p/ HTTP/1.1\r\nHost: 127.1:%p\r\n\r\n", "400" },
		{ "GET http://127.0.0.1:%p/ HTTP/1.1\r\nHost: other.test\r\n\r\n", "400" },
		{ "GET http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400" },
		{ "GET http://127.0.0.1:%p/ HTTP/1.1\r\nHost: \r\n\r\n", "400" },
		{ "GET http://127.0.0.1:%p/ HTTP/1.1\r\n\r\n", "400" },
		{ "CONNECT 127.0.0.1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "400" },
		{ "CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: other.test:%p\r\n\r\n", "400" },
		{ "CONNECT http://127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n", "400" },
		{ "CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nContent-Length: 1\r\n\r\nx", "400" },
		{ "POST http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nTransfer-Encoding: chunked\r\n\r\n",
			"501" },
		{ "POST http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
			"400" },
		{ "GET http://127.0.0.1:%p/ HTTP/2.0\r\nHost: 127.0.0.1:%p\r\n\r\n", "505" },
		{ "\x16\x03\x01\x02\r\n", "400" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		struct end *c = ask(all[i].text);

		until(has_ended, c);
		if (strncmp(c->got + 9, all[i].status, 3) != 0)
			fail_msg("'%s' has '%s'", all[i].text, c->got);
	}
	assert_int_equal(world.accepted_count, 0);
	assert_int_equal(world.told, 0);
}

static void test_heads_without_end(void **state)
{
	static char line[9000], fields[40000];
	struct end *c = client();

	(void)state;
	memset(line, 'x', sizeof line - 1);
	memset(fields, 'y', sizeof fields - 1);
	say(c, "GET http://127.0.0.1/");
	say(c, line);
	until(has_ended, c);
	assert_int_equal(strncmp(c->got, "HTTP/1.1 414 ", 13), 0);
	c = ask("GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ");
	say(c, fields);
	until(has_ended, c);
	assert_int_equal(strncmp(c->got, "HTTP/1.1 431 ", 13), 0);
}

/* --- servers that are not there --- */

static void test_no_server(void **state)
{
	struct end *c;

	(void)state;
	close(world.listener);
	c = ask("GET http://127.0.0.1:%p/ HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	world.listener = bound(SOCK_STREAM, &(unsigned){ 0 });
	expect(c, "HTTP/1.1 502 ");
	expect(c, "Connection refused");
	c = ask("GET http://none.test/ HTTP/1.1\r\nHost: none.test\r\n\r\n");
	expect(c, "HTTP/1.1 502 ");
	expect(c, "the name 'none.test' is not known");
}

/* A listener whose queue is full answers no more: what comes has to wait. */
static void test_a_server_that_does_not_answer(void **state)
{
	struct end *c;
	int fds[8];

	(void)state;
	assert_int_equal(listen(world.listener, 0), 0);
	close_fd(take_fd(&world.dns)); /* play() below takes nobody from the queue */
	for (unsigned i = 0; i < ARRAY_LEN(fds); i++) {
		struct sockaddr_in to = { .sin_family = AF_INET,
			.sin_port = htons((uint16_t)world.port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		connect(fds[i], (struct sockaddr *)&to, sizeof to);
	}
	c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	world.listener = (world.dns = world.listener, bound(SOCK_STREAM, &(unsigned){ 0 }));
	expect(c, "HTTP/1.1 504 ");
	for (unsigned i = 0; i < ARRAY_LEN(fds); i++)
		close(fds[i]);
}

static void test_a_name_server_that_does_not_answer(void **state)
{
	struct end *c = ask("CONNECT silent.test:%p HTTP/1.1\r\nHost: silent.test:%p\r\n\r\n");

	(void)state;
	expect(c, "HTTP/1.1 504 ");
	expect(c, "could not be looked up");
}

/* --- limits --- */

static void test_silent_ones_are_ended(void **state)
{
	struct end *silent = client(), *slow = client();

	(void)state;
	say(slow, "GET http");
	until(has_ended, silent);
	assert_int_equal(silent->len, 0);
	until(has_ended, slow);
	assert_int_equal(strncmp(slow->got, "HTTP/1.1 408 ", 13), 0);
}

static void test_half_a_tunnel_is_ended(void **state)
{
	struct end *c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
	struct end *s = server_after(0);

	(void)state;
	part(c);
	until(has_ended, s);
	until(nobody_is_there, NULL);
}

static void test_no_more_than_so_many(void **state)
{
	struct end *all[3], *one_more;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(all); i++) {
		all[i] = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");
		expect(all[i], "200");
	}
	one_more = client();
	until(has_ended, one_more);
	assert_int_equal(one_more->len, 0);
	part(all[0]);
	part(world.accepted[0]);
	until(nobody_is_there, (part(all[1]), part(all[2]), NULL));
	expect(ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n"), "200");
}

/* --- who may come --- */

static void test_somebody_else(void **state)
{
	struct end *c = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n");

	(void)state;
	until(has_ended, c);
	assert_int_equal(c->len, 0);
	assert_int_equal(world.accepted_count, 0);
}

static void test_the_kernel_tells_whose(void **state)
{
	int listener, peer, own;
	unsigned port, peer_port;
	struct sockaddr_in name;
	socklen_t size = sizeof name;
	uid_t by_netlink = 77, by_table = 77;

	(void)state;
	listener = bound(SOCK_STREAM, &port);
	assert_int_equal(listen(listener, 1), 0);
	peer = connected(port);
	own = accept(listener, NULL, NULL);
	assert_int_equal(getsockname(peer, (struct sockaddr *)&name, &size), 0);
	peer_port = ntohs(name.sin_port);
	assert_int_equal(peer_owner(own, &by_netlink), 0);
	assert_int_equal(by_netlink, getuid());
	assert_int_equal(peer_owner_in_table("/proc/self/net/tcp", peer_port, port, &by_table), 0);
	assert_int_equal(by_table, getuid());
	assert_true(peer_owner_in_table("/proc/self/net/tcp", port, port, &by_table) < 0);
	assert_true(peer_owner_in_table("/nowhere", peer_port, port, &by_table) < 0);
	if (peer_owner_by_netlink(peer_port, port, &by_netlink) == 0) {
		assert_int_equal(by_netlink, getuid());
		assert_int_equal(peer_owner_by_netlink(peer_port, peer_port, &by_netlink), -ENOENT);
	}
	close(peer);
	close(own);
	close(listener);
}

/* --- the end --- */

static void test_stopped_in_the_middle(void **state)
{
	struct end *tunnel = ask("CONNECT 127.0.0.1:%p HTTP/1.1\r\nHost: 127.0.0.1:%p\r\n\r\n"), *silent, *waits;
	struct end *s = server_after(0);

	(void)state;
	expect(tunnel, "200");
	silent = client();
	waits = ask("CONNECT silent.test:1 HTTP/1.1\r\nHost: silent.test:1\r\n\r\n");
	until(are_there, &(unsigned){ 3 });
	proxy_stop(world.proxy);
	world.proxy = NULL;
	until(has_ended, tunnel);
	until(has_ended, s);
	until(has_ended, silent);
	until(has_ended, waits);
}

static void test_flags(void **state)
{
	char flags[PROXY_FLAGS][PROXY_FLAG_SIZE], expected[PROXY_FLAG_SIZE];

	(void)state;
	proxy_flags(world.proxy, flags);
	snprintf(expected, sizeof expected, "--proxy-server=http://127.0.0.1:%u", proxy_port(world.proxy));
	assert_string_equal(flags[0], expected);
	for (int i = 0; i < PROXY_FLAGS; i++)
		assert_in_range(strlen(flags[i]), 1, PROXY_FLAG_SIZE - 2);
	proxy_stop(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_resource),
		CASE(test_targets_without_a_path),
		CASE(test_a_body),
		CASE(test_more_than_the_body),
		CASE(test_the_server_answers_before_the_end_of_the_body),
		CASE(test_a_tunnel),
		CASE(test_the_server_ends_its_way_first),
		CASE(test_a_reset_goes_through),
		CASE(test_who_does_not_read_makes_the_other_wait),
		CASE(test_a_host_that_is_not_allowed),
		CASE_WITH(test_a_name_must_not_lead_here, begin_without_addresses),
		CASE(test_a_name_may_lead_to_an_allowed_address),
		CASE(test_many_ask_for_one_name),
		CASE_WITH(test_not_through_us_to_us, begin_open),
		CASE_WITH(test_everything_is_allowed, begin_open),
		CASE(test_what_is_no_request_for_a_proxy),
		CASE(test_heads_without_end),
		CASE(test_no_server),
		CASE_WITH(test_a_server_that_does_not_answer, begin_impatient),
		CASE_WITH(test_a_name_server_that_does_not_answer, begin_impatient),
		CASE_WITH(test_silent_ones_are_ended, begin_impatient),
		CASE_WITH(test_half_a_tunnel_is_ended, begin_impatient),
		CASE_WITH(test_no_more_than_so_many, begin_few),
		CASE_WITH(test_somebody_else, begin_for_somebody_else),
		CASE(test_the_kernel_tells_whose),
		CASE(test_stopped_in_the_middle),
		CASE(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
