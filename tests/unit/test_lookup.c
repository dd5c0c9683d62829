/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names looked up at a real name server of ours, in a thread, over UDP and TCP.  What it answers
 * is in the first label of the name: see answer().
 */
#include "browser/lookup.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DNS_A = 1, DNS_AAAA = 28 };

#define DEADLINE_NS (60 * NS_PER_S)

/* Where silence is waited for; the longer one leaves an answer beside it time to come on a busy machine. */
#define SHORT_NS (800 * NS_PER_MS)
#define HALF_NS (12 * NS_PER_S)

static struct {
	char folder[64], hosts[96], resolv_conf[96];
	struct lookup_files files;
	int udp, tcp, connection, end[2];
	pthread_t thread;
	atomic_int asked, asked_tcp;
	char last[256]; /* the name last asked for; read when nothing is asked */
} world;

/* --- the name server --- */

/* The name as text, and where its question ends. */
static size_t read_question(const unsigned char *message, char to[static 256])
{
	size_t at = 12, len = 0;

	while (message[at]) {
		memcpy(to + len, message + at + 1, message[at]);
		len += message[at];
		to[len++] = '.';
		at += 1 + (size_t)message[at];
	}
	to[len - 1] = '\0';
	return at + 5;
}

static size_t add_record(unsigned char *to, const void *address, size_t len)
{
	const unsigned char head[] = { 0xc0, 12, 0, len == 4 ? DNS_A : DNS_AAAA, 0, 1, 0, 0, 0, 60, 0,
		(unsigned char)len };

	memcpy(to, head, sizeof head);
	memcpy(to + sizeof head, address, len);
	return sizeof head + len;
}

/* An alias that holds for 7 seconds, to www. and the name; the address belongs to that. */
static size_t add_alias(unsigned char *message, size_t len)
{
	static const unsigned char alias[] = { 0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 7, 0, 6, 3, 'w', 'w', 'w', 0xc0, 12 };
	size_t at = len + 12;

	memcpy(message + len, alias, sizeof alias);
	len += sizeof alias;
	len += add_record(message + len, "\xc0\0\2\7", 4);
	message[len - 15] = (unsigned char)at;
	message[7] = 2;
	return len;
}

static size_t add_many(unsigned char *message, size_t len)
{
	message[7] = LOOKUP_ADDRESSES_MAX + 3;
	for (unsigned char i = 0; i < message[7]; i++)
		len += add_record(message + len, (unsigned char[]){ 192, 0, 2, i }, 4);
	return len;
}

/* The answer replaces the question: its length, 0 for none. */
static size_t answer(unsigned char *message, bool is_tcp)
{
	char name[256];
	size_t len = read_question(message, name);
	unsigned type = message[len - 3];

	snprintf(world.last, sizeof world.last, "%s", name);
	message[2] = 0x81;
	message[3] = 0x80;
	if (strncmp(name, "silent.", 7) == 0 || (strncmp(name, "half.", 5) == 0 && type == DNS_AAAA))
		return 0;
	if (strncmp(name, "broken.", 7) == 0)
		message[3] |= 2;
	else if (strncmp(name, "none.", 5) == 0 || strchr(name, '.') == NULL)
		message[3] |= 3;
	else if (strncmp(name, "long.", 5) == 0 && !is_tcp)
		message[2] |= 2;
	else if (strncmp(name, "forged.", 7) == 0)
		message[0] ^= 1;
	if (message[3] != 0x80 || (message[2] & 2) || strncmp(name, "empty.", 6) == 0)
		return len;
	if (strncmp(name, "alias.", 6) == 0)
		return add_alias(message, len);
	if (strncmp(name, "many.", 5) == 0)
		return add_many(message, len);
	message[7] = 1;
	if (strncmp(name, "other.", 6) == 0) { /* an address of the name without its first label */
		len += add_record(message + len, "\xc0\0\2\7", 4);
		message[len - 15] += 6;
		return len;
	}
	if (type == DNS_A)
		return len + add_record(message + len, "\xc0\0\2\7", 4);
	return len + add_record(message + len, "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\7", 16);
}

static void serve_udp(void)
{
	unsigned char message[1024];
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	ssize_t len = recvfrom(world.udp, message, sizeof message, 0, (struct sockaddr *)&from, &size);

	atomic_fetch_add(&world.asked, 1);
	len = len > 0 ? (ssize_t)answer(message, false) : 0;
	if (len)
		sendto(world.udp, message, (size_t)len, 0, (struct sockaddr *)&from, size);
}

static void serve_tcp(void)
{
	unsigned char message[1024];
	size_t len;

	if (recv(world.connection, message, 2, MSG_WAITALL) != 2 ||
		recv(world.connection, message + 2, message[1], MSG_WAITALL) != message[1]) {
		close_fd(take_fd(&world.connection));
		return;
	}
	atomic_fetch_add(&world.asked_tcp, 1);
	len = answer(message + 2, true);
	message[0] = 0;
	message[1] = (unsigned char)len;
	/* In two pieces. */
	send(world.connection, message, 1, MSG_NOSIGNAL);
	send(world.connection, message + 1, len + 1, MSG_NOSIGNAL);
}

static void *serve(void *unused)
{
	struct pollfd fds[] = { { world.udp, POLLIN, 0 }, { -1, POLLIN, 0 }, { world.end[0], POLLIN, 0 } };

	while (fds[1].fd = world.connection < 0 ? world.tcp : world.connection,
		poll(fds, ARRAY_LEN(fds), -1) > 0 && !fds[2].revents) {
		if (fds[0].revents)
			serve_udp();
		if (fds[1].revents && world.connection < 0)
			world.connection = accept(world.tcp, NULL, NULL);
		else if (fds[1].revents)
			serve_tcp();
	}
	return unused;
}

/* --- the world --- */

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* UDP and TCP on one port. */
static void bind_both(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;

	for (int attempt = 0; attempt < 20; attempt++) {
		address.sin_port = 0;
		world.udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		world.tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(bind(world.tcp, (struct sockaddr *)&address, size), 0);
		assert_int_equal(getsockname(world.tcp, (struct sockaddr *)&address, &size), 0);
		if (bind(world.udp, (struct sockaddr *)&address, size) == 0)
			break;
		close_fd(take_fd(&world.udp));
		close_fd(take_fd(&world.tcp));
	}
	assert_int_equal(listen(world.tcp, 8), 0);
	world.files.dns_port = ntohs(address.sin_port);
}

static int begin(void **state)
{
	(void)state;
	snprintf(world.folder, sizeof world.folder, "/tmp/abx-lookup-XXXXXX");
	assert_non_null(mkdtemp(world.folder));
	snprintf(world.hosts, sizeof world.hosts, "%s/hosts", world.folder);
	snprintf(world.resolv_conf, sizeof world.resolv_conf, "%s/resolv.conf", world.folder);
	put_file(world.hosts, "10.1.2.3 box box.example\n");
	put_file(world.resolv_conf, "nameserver 127.0.0.1\nsearch first.example second.example\n");
	setenv("CARES_HOSTS", world.hosts, 1);
	signal(SIGPIPE, SIG_IGN); /* as the server has it */
	world.connection = -1;
	world.files.resolv_conf = world.resolv_conf;
	bind_both();
	assert_int_equal(pipe(world.end), 0);
	return pthread_create(&world.thread, NULL, serve, NULL);
}

static int end(void **state)
{
	(void)state;
	close(world.end[1]);
	pthread_join(world.thread, NULL);
	close(world.end[0]);
	close(world.udp);
	close(world.tcp);
	close_fd(world.connection);
	unlink(world.hosts);
	unlink(world.resolv_conf);
	return rmdir(world.folder);
}

static bool never(void *user)
{
	(void)user;
	return false;
}

static struct lookup_result look_up_within(int64_t within_ns, const char *name)
{
	struct lookup_result result;

	atomic_store(&world.asked, 0);
	atomic_store(&world.asked_tcp, 0);
	lookup_run(&world.files, name, clock_now_ns() + within_ns, never, NULL, &result);
	return result;
}

static struct lookup_result look_up(const char *name)
{
	return look_up_within(DEADLINE_NS, name);
}

/* --- the tests --- */

static void test_both_kinds(void **state)
{
	struct lookup_result r = look_up("www.example");
	size_t v4;

	(void)state;
	assert_int_equal(r.error, 0);
	assert_true(r.from_dns);
	/* In which order is for the routes of the machine to say. */
	v4 = r.found.all[0].is_v6;
	assert_int_equal(r.found.count, 2);
	assert_true(r.found.all[!v4].is_v6);
	assert_memory_equal(r.found.all[!v4].bytes, "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\7", 16);
	assert_false(r.found.all[v4].is_v6);
	assert_memory_equal(r.found.all[v4].bytes, "\xc0\0\2\7", 4);
	assert_int_equal(r.found.ttl, 60);
	assert_int_equal(atomic_load(&world.asked), 2);
}

static void test_own_names_ask_nobody(void **state)
{
	struct lookup_result r = look_up("localhost");

	(void)state;
	assert_int_equal(r.error, 0);
	assert_false(r.from_dns);
	assert_memory_equal(r.found.all[0].bytes, "\x7f\0\0\1", 4);
	r = look_up("app.localhost");
	assert_int_equal(r.found.count, 2);
	r = look_up("box");
	assert_int_equal(r.found.count, 1);
	assert_false(r.from_dns);
	assert_memory_equal(r.found.all[0].bytes, "\x0a\1\2\3", 4);
	assert_int_equal(atomic_load(&world.asked), 0);
	/* No part of that family. */
	r = look_up("evillocalhost.example");
	assert_true(r.from_dns);
}

static void test_what_is_taken_of_an_answer(void **state)
{
	struct lookup_result r = look_up("alias.example");

	(void)state;
	assert_int_equal(r.error, 0);
	assert_memory_equal(r.found.all[0].bytes, "\xc0\0\2\7", 4);
	assert_int_equal(r.found.ttl, 7);
	assert_int_equal(look_up("many.example").found.count, LOOKUP_ADDRESSES_MAX);
	/* What belongs to another name. */
	assert_int_equal(look_up("other.example").error, -ENOENT);
}

static void test_no_such_name(void **state)
{
	(void)state;
	/* By itself, then with both of the search list. */
	assert_int_equal(look_up("none.example").error, -ENOENT);
	assert_int_equal(atomic_load(&world.asked), 6);
	assert_int_equal(look_up("empty.example").error, -ENOENT);
	assert_int_equal(look_up("broken.example").error, -EAGAIN);
}

static void test_the_search_list(void **state)
{
	struct lookup_result r = look_up("service");

	(void)state;
	assert_int_equal(r.error, 0);
	assert_string_equal(world.last, "service.first.example");
	assert_int_equal(atomic_load(&world.asked), 2);
}

static void test_what_is_cut_off_comes_over_tcp(void **state)
{
	struct lookup_result r = look_up("long.example");

	(void)state;
	assert_int_equal(r.error, 0);
	assert_int_equal(r.found.count, 2);
	assert_int_equal(atomic_load(&world.asked_tcp), 2);
}

static void test_silence(void **state)
{
	(void)state;
	assert_int_equal(look_up_within(SHORT_NS, "silent.example").error, -ETIMEDOUT);
	/* An answer with another number is not heard. */
	assert_int_equal(look_up_within(SHORT_NS, "forged.example").error, -ETIMEDOUT);
	/* One kind is enough. */
	assert_int_equal(look_up_within(HALF_NS, "half.example").found.count, 1);
}

static bool after_some(void *user)
{
	return ++*(int *)user > 2;
}

static void test_being_stopped(void **state)
{
	struct lookup_result r;
	int times = 0;

	(void)state;
	lookup_run(&world.files, "silent.example", clock_now_ns() + DEADLINE_NS, after_some, &times, &r);
	assert_int_equal(r.error, -ECANCELED);
	lookup_run(&world.files, "silent.example", clock_now_ns(), never, NULL, &r);
	assert_int_equal(r.error, -ETIMEDOUT);
}

static void test_another_server_may_know(void **state)
{
	(void)state;
	/* Nobody listens on the first, which is noticed for one of the two questions, and missed for the other. */
	put_file(world.resolv_conf, "nameserver 127.0.0.9\nnameserver 127.0.0.1\n");
	assert_int_equal(look_up_within(HALF_NS, "www.example").error, 0);
	put_file(world.resolv_conf, "nameserver 127.0.0.9\n");
	assert_int_equal(look_up("www.example").error, -EAGAIN);
	unlink(world.resolv_conf);
	unlink(world.hosts);
	assert_int_equal(look_up("www.example").error, 0);
	put_file(world.resolv_conf, "");
	put_file(world.hosts, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_kinds),
		cmocka_unit_test(test_own_names_ask_nobody),
		cmocka_unit_test(test_what_is_taken_of_an_answer),
		cmocka_unit_test(test_no_such_name),
		cmocka_unit_test(test_the_search_list),
		cmocka_unit_test(test_what_is_cut_off_comes_over_tcp),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_being_stopped),
		cmocka_unit_test(test_another_server_may_know),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
