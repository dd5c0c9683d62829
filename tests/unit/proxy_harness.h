/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The browser's proxy between clients and servers that a test plays itself, over loopback.  All
 * share one thread: until() runs the loop, takes what comes to any end, and answers the
 * questions to the name server, which says 127.0.0.1 to every name but those that begin with "none".
 */
#pragma once

#include "browser/proxy.h"

#include "base/budget.h"
#include "base/clock.h"
#include "loop_wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ENDS = 64, KEPT_MAX = 64 * 1024, DEADLINE_MS = 60000, MIB = 1024 * 1024 };

/* A socket of the test: what came is kept up to KEPT_MAX and counted beyond. */
struct end {
	int fd;
	char got[KEPT_MAX + 1];
	size_t len;
	bool ended, reads;
};

static struct {
	struct loop *loop;
	struct proxy *proxy;
	char hosts[64];
	struct lookup_files files;
	int listener, dns;
	unsigned port; /* of the listener */
	struct end *ends[ENDS];
	unsigned end_count, told, asked;
	struct end *accepted[ENDS];
	unsigned accepted_count;
	char refused[300];
	int fds_before;
} world;

static int bound(int type, unsigned *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static struct end *end_new(int fd)
{
	struct end *e = mem_new(struct end);

	assert_true(world.end_count < ENDS && fd >= 0);
	e->fd = fd;
	e->reads = true;
	world.ends[world.end_count++] = e;
	return e;
}

static int connected(unsigned port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

static inline struct end *client(void)
{
	return end_new(connected(proxy_port(world.proxy)));
}

static void say(struct end *e, const char *text)
{
	assert_int_equal(send(e->fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* %p in the text is the port of the test's server. */
static inline struct end *ask(const char *text)
{
	struct end *e = client();
	char full[4096];
	size_t len = 0;

	for (const char *c = text; *c; c++) {
		if (c[0] == '%' && c[1] == 'p')
			len += (size_t)snprintf(full + len, sizeof full - len, "%u", world.port);
		else
			full[len++] = *c;
		c += c[0] == '%' && c[1] == 'p';
	}
	full[len] = '\0';
	say(e, full);
	return e;
}

static inline void part(struct end *e)
{
	close_fd(take_fd(&e->fd));
	e->reads = false;
}

static void hear(struct end *e)
{
	static char more[MIB];

	while (e->reads && !e->ended) {
		ssize_t len = recv(e->fd, more, sizeof more, MSG_DONTWAIT);
		size_t kept = len > 0 && e->len < KEPT_MAX ? MIN((size_t)len, KEPT_MAX - e->len) : 0;

		if (len < 0 && errno == EAGAIN)
			return;
		if (kept) {
			memcpy(e->got + e->len, more, kept);
			e->got[e->len + kept] = '\0';
		}
		e->len += len > 0 ? (size_t)len : 0;
		e->ended = len <= 0;
	}
}

static void answer_dns(void)
{
	static const unsigned char record[] = { 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1 };
	unsigned char message[600];
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	ssize_t len = recvfrom(world.dns, message, 512, 0, (struct sockaddr *)&from, &size);

	if (len < 18)
		return;
	world.asked++;
	message[2] = 0x81;
	message[3] = memcmp(message + 13, "none", 4) == 0 ? 0x83 : 0x80;
	if (message[3] == 0x80 && message[len - 3] == 1) {
		message[7] = 1;
		memcpy(message + len, record, sizeof record);
		len += (ssize_t)sizeof record;
	}
	if (memcmp(message + 13, "silent", 6) != 0)
		sendto(world.dns, message, (size_t)len, 0, (struct sockaddr *)&from, size);
}

static void play(void)
{
	int fd;

	while ((fd = accept4(world.listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		world.accepted[world.accepted_count++] = end_new(fd);
	for (unsigned i = 0; i < world.end_count; i++)
		hear(world.ends[i]);
	answer_dns();
}

static bool has_ended(const void *what)
{
	return ((const struct end *)what)->ended;
}

static inline bool has_accepted(const void *what)
{
	return world.accepted_count >= *(const unsigned *)what;
}

static bool nobody_is_there(const void *what)
{
	(void)what;
	return proxy_connections(world.proxy) == 0;
}

static inline bool are_there(const void *what)
{
	return proxy_connections(world.proxy) == *(const unsigned *)what;
}

/* The server's end of the newest connection; how many there were before must be said. */
static inline struct end *server_after(unsigned before)
{
	until(has_accepted, &(unsigned){ before + 1 });
	return world.accepted[before];
}

static struct {
	const struct end *end;
	const char *text;
} wanted;

static bool is_heard(const void *what)
{
	(void)what;
	return memmem(wanted.end->got, MIN(wanted.end->len, (size_t)KEPT_MAX), wanted.text, strlen(wanted.text)) !=
	       NULL;
}

static inline void expect(const struct end *e, const char *text)
{
	wanted.end = e;
	wanted.text = text;
	if (!within(DEADLINE_MS, is_heard, NULL))
		fail_msg("'%s' did not come in '%.400s'", text, e->got);
}

/* --- the world --- */

static void on_refused(void *user, const char *host, unsigned port)
{
	assert_ptr_equal(user, &world);
	world.told++;
	snprintf(world.refused, sizeof world.refused, "%s:%u", host, port);
}

static int count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void begin_with(struct proxy_settings settings)
{
	struct err err;
	FILE *file;
	unsigned dns_port;

	world.fds_before = count_fds();
	snprintf(world.hosts, sizeof world.hosts, "/tmp/abx-hosts-XXXXXX");
	file = fdopen(mkstemp(world.hosts), "w");
	fputs("127.0.0.1 allowed.test other.test\n192.0.2.1 far.test\n", file);
	fclose(file);
	world.loop = loop_new();
	wait_init(world.loop, play);
	world.listener = bound(SOCK_STREAM, &world.port);
	world.dns = bound(SOCK_DGRAM, &dns_port);
	assert_int_equal(listen(world.listener, 64), 0);
	setenv("CARES_HOSTS", world.hosts, 1);
	/* No name servers in it: 127.0.0.1 then. */
	world.files = (struct lookup_files){ "/dev/null", dns_port };
	settings.files = &world.files;
	settings.uid = settings.uid ? settings.uid : getuid();
	settings.on_refused = on_refused;
	settings.user = &world;
	world.proxy = proxy_start(world.loop, &settings, &err);
	assert_non_null(world.proxy);
}

static int end(void **state)
{
	(void)state;
	for (unsigned i = 0; i < world.end_count; i++)
		part(world.ends[i]);
	if (world.proxy)
		until(nobody_is_there, NULL);
	proxy_stop(world.proxy);
	wait_free();
	loop_run(world.loop); /* a lookup that was given up ends */
	loop_free(world.loop);
	close(world.listener);
	close(world.dns);
	unlink(world.hosts);
	assert_int_equal(budget_used(), 0);
	for (unsigned i = 0; i < world.end_count; i++)
		free(world.ends[i]);
	/* What the threads of the lanes hold is there once and for all. */
	assert_in_range(count_fds(), 0, world.fds_before + 8);
	memset(&world, 0, sizeof world);
	return 0;
}
