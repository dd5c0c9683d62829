/* SPDX-License-Identifier: Apache-2.0 */
#include "http/conn.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, ACCEPT_TURN_MAX = 64, GIVE_UP_PINGS = 3 };

#define ACCEPT_PAUSE_NS (100 * NS_PER_MS)

struct listener {
	struct http_server *server;
	struct watch watch;
	int fd;
	unsigned tag;
	char unix_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct listener *next;
};

const struct http_limits http_default_limits = {
	.max_connections = 1024,
	.too_long_ns = NS_PER_S,
	.header_ns = 10 * NS_PER_S,
	.body_idle_ns = 30 * NS_PER_S,
	.write_idle_ns = 60 * NS_PER_S,
	.keep_alive_ns = 75 * NS_PER_S,
	.heartbeat_ns = 15 * NS_PER_S,
	.ping_ns = 20 * NS_PER_S,
	.sweep_ns = NS_PER_S,
};

static void on_accept(struct watch *w, unsigned events);

static void on_sweep(struct timer *t)
{
	struct http_server *s = OWNER(t, struct http_server, sweep);
	int64_t now = clock_now_ns();

	LIST_EACH(node, &s->conns)
	conn_sweep(OWNER(node, struct http_conn, node), now);
	if (s->count)
		timer_start(&s->sweep, s->loop, s->limits.sweep_ns, on_sweep);
}

static void on_kick(struct turn *t)
{
	struct http_server *s = OWNER(t, struct http_server, kick);
	struct list_node now, *node;

	/* Those kicked meanwhile come in the next turn. */
	list_init(&now);
	while ((node = list_shift(&s->kicked)))
		list_append(&now, node);
	while ((node = list_shift(&now)))
		conn_process(OWNER(node, struct http_conn, kicked));
}

void server_kick(struct http_server *s)
{
	turn_start(&s->kick, s->loop, on_kick);
}

struct http_server *http_server_new(
	struct loop *loop, const struct http_handlers *handlers, const struct http_limits *limits)
{
	struct http_server *s = mem_new(struct http_server);

	s->loop = loop;
	s->handlers = handlers;
	s->limits = *limits;
	s->scratch = mem_alloc(HTTP_SCRATCH_SIZE);
	s->spare_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	list_init(&s->conns);
	list_init(&s->kicked);
	return s;
}

static void stop_listening(struct http_server *s)
{
	struct listener *l;

	while ((l = s->listeners)) {
		s->listeners = l->next;
		watch_stop(&l->watch);
		close_fd(l->fd);
		if (l->unix_path[0])
			unlink(l->unix_path);
		free(l);
	}
	timer_stop(&s->accept_pause);
}

void http_server_drain(struct http_server *s, void (*on_idle)(void *user), void *user)
{
	stop_listening(s);
	s->draining = true;
	s->on_idle = on_idle;
	s->idle_user = user;
	LIST_EACH(node, &s->conns)
	conn_close_idle(OWNER(node, struct http_conn, node));
	if (s->count == 0 && on_idle)
		on_idle(user);
}

void http_server_free(struct http_server *s)
{
	if (!s)
		return;
	stop_listening(s);
	s->on_idle = NULL;
	LIST_EACH(node, &s->conns)
	conn_abort(OWNER(node, struct http_conn, node));
	while (!list_is_empty(&s->kicked))
		conn_process(OWNER(list_shift(&s->kicked), struct http_conn, kicked));
	timer_free(&s->sweep);
	turn_free(&s->kick);
	timer_free(&s->accept_pause);
	close_fd(s->spare_fd);
	free(s->scratch);
	free(s);
}

unsigned http_server_connections(const struct http_server *s)
{
	return s->count;
}

void http_server_set_max(struct http_server *s, unsigned max_connections)
{
	s->limits.max_connections = max_connections;
}

void server_conn_added(struct http_server *s)
{
	if (s->count++ == 0)
		timer_start(&s->sweep, s->loop, s->limits.sweep_ns, on_sweep);
}

void server_conn_removed(struct http_server *s)
{
	void (*on_idle)(void *user) = s->on_idle;

	if (--s->count)
		return;
	timer_stop(&s->sweep);
	if (s->draining && on_idle) {
		s->on_idle = NULL;
		on_idle(s->idle_user);
	}
}

/* Makes room by closing the connection that has been idle longest: the list is in order of arrival. */
static bool close_one_idle(struct http_server *s)
{
	LIST_EACH(node, &s->conns)
	{
		struct http_conn *c = OWNER(node, struct http_conn, node);

		if (conn_is_idle(c)) {
			conn_abort(c);
			return true;
		}
	}
	return false;
}

/* Answered without reading anything: there is no room to keep it. */
static void turn_away(struct http_server *s, int fd, int status, const char *phrase, const char *wire_code,
	const char *code, const char *type, const char *text)
{
	char reply[768], body[384];
	int len = snprintf(body, sizeof body,
		"{\"error\":\"%s\",\"type\":\"%s\",\"code\":\"%s\",\"wire_code\":\"%s\",\"op\":null,\"endpoint\":null,"
		"\"request_id\":\"-\",\"details\":{}}",
		text, type, code, wire_code);

	len = snprintf(reply, sizeof reply,
		"HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\n"
		"X-Request-Id: -\r\nConnection: close\r\n\r\n%s",
		status, phrase, len, body);
	if (send(fd, reply, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL) == len)
		shutdown(fd, SHUT_WR);
	/* A close with bytes unread is a reset, and could take the answer along. */
	recv(fd, s->scratch, HTTP_SCRATCH_SIZE, MSG_DONTWAIT);
	close(fd);
}

static void on_accept_pause(struct timer *t)
{
	struct http_server *s = OWNER(t, struct http_server, accept_pause);

	for (struct listener *l = s->listeners; l; l = l->next)
		watch_change(&l->watch, WATCH_READ);
}

/* Descriptors ran out: the spare one lets us tell one peer, then we wait for some to come back (R88). */
static void out_of_descriptors(struct http_server *s, int listener_fd)
{
	int fd;

	close_fd(take_fd(&s->spare_fd));
	fd = accept4(listener_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		turn_away(s, fd, 503, "Service Unavailable", "server.busy", "unavailable", "RuntimeError",
			"descriptors are used up: try again");
	s->spare_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (struct listener *l = s->listeners; l; l = l->next)
		watch_change(&l->watch, 0);
	timer_start(&s->accept_pause, s->loop, ACCEPT_PAUSE_NS, on_accept_pause);
}

/*
 * A peer whose machine went away answers nothing, not even with a reset: the kernel gives up on what it
 * sends when none of it is acknowledged for as long as three pings take.  All of this fails on a unix
 * socket, where it does not matter.
 */
static void set_tcp_options(const struct http_server *s, int fd)
{
	unsigned give_up_ms = (unsigned)(GIVE_UP_PINGS * s->limits.ping_ns / NS_PER_MS);
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &give_up_ms, sizeof give_up_ms);
}

static void take_connection(struct http_server *s, int fd, unsigned tag)
{
	if (s->count >= s->limits.max_connections && !close_one_idle(s)) {
		turn_away(s, fd, 429, "Too Many Requests", "limit.too_many", "too_many", "ResourceError",
			"as many connections as max_connections allows are open");
		return;
	}
	set_tcp_options(s, fd);
	conn_new(s, fd, tag);
}

static void on_accept(struct watch *w, unsigned events)
{
	struct listener *l = OWNER(w, struct listener, watch);

	(void)events;
	for (int i = 0; i < ACCEPT_TURN_MAX; i++) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			take_connection(l->server, fd, l->tag);
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			out_of_descriptors(l->server, l->fd);
			return;
		} else if (errno != EINTR && errno != ECONNABORTED) {
			return;
		}
	}
}

/* "HOST:PORT" with a numeric host or localhost, "[V6]:PORT", ":PORT" for all. */
static int parse_inet(const char *address, struct sockaddr_storage *ret, socklen_t *ret_len)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	const char *colon = strrchr(address, ':');
	uint64_t port;
	char host[64];
	size_t len;

	if (!colon || str_to_u64(str_of(colon + 1), &port) < 0 || port > UINT16_MAX)
		return -EINVAL;
	len = (size_t)(colon - address);
	if (len >= sizeof host)
		return -EINVAL;
	memcpy(host, address, len);
	host[len] = '\0';
	memset(ret, 0, sizeof *ret);
	if (host[0] == '[' && len > 2 && host[len - 1] == ']') {
		host[len - 1] = '\0';
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		*ret_len = sizeof *v6;
		return inet_pton(AF_INET6, host + 1, &v6->sin6_addr) == 1 ? 0 : -EINVAL;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons((uint16_t)port);
	*ret_len = sizeof *v4;
	if (strcmp(host, "localhost") == 0)
		return inet_pton(AF_INET, "127.0.0.1", &v4->sin_addr) == 1 ? 0 : -EINVAL;
	return inet_pton(AF_INET, len ? host : "0.0.0.0", &v4->sin_addr) == 1 ? 0 : -EINVAL;
}

static void name_bound(int fd, char *ret_address, size_t size)
{
	struct sockaddr_storage bound;
	socklen_t len = sizeof bound;
	char host[INET6_ADDRSTRLEN] = "";

	getsockname(fd, (struct sockaddr *)&bound, &len);
	if (bound.ss_family == AF_INET6) {
		const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&bound;

		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
		snprintf(ret_address, size, "[%s]:%u", host, ntohs(v6->sin6_port));
	} else {
		const struct sockaddr_in *v4 = (const struct sockaddr_in *)&bound;

		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
		snprintf(ret_address, size, "%s:%u", host, ntohs(v4->sin_port));
	}
}

static int bind_inet(int fd, const struct sockaddr_storage *address, socklen_t len)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (address->ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	return bind(fd, (const struct sockaddr *)address, len) < 0 ? -errno : 0;
}

/* A socket file that nobody listens on any more is left over and is replaced; a living one is in use. */
static int bind_unix(int fd, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	AUTOCLOSE int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (connect(probe, (struct sockaddr *)&address, sizeof address) == 0)
		return -EADDRINUSE;
	if (errno == ECONNREFUSED)
		unlink(path);
	return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

static int add_listener(struct http_server *s, int fd, const char *unix_path, unsigned tag)
{
	struct listener *l = mem_new(struct listener);
	int status = listen(fd, BACKLOG) < 0 ? -errno : 0;

	l->server = s;
	if (status == 0)
		status = watch_start(&l->watch, s->loop, fd, WATCH_READ, on_accept);
	if (status < 0) {
		free(l);
		return status;
	}
	l->fd = fd;
	l->tag = tag;
	if (unix_path)
		snprintf(l->unix_path, sizeof l->unix_path, "%s", unix_path);
	l->next = s->listeners;
	s->listeners = l;
	return 0;
}

bool http_is_address(const char *address)
{
	struct sockaddr_storage where;
	socklen_t len;

	return (strncmp(address, "unix:", 5) == 0 && address[5]) || parse_inet(address, &where, &len) == 0;
}

bool http_is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strncmp(address, "localhost:", 10) == 0 ||
	       strncmp(address, "[::1]:", 6) == 0 || strncmp(address, "unix:", 5) == 0;
}

int http_listen(struct http_server *s, const char *address, char *ret_address, size_t size)
{
	return http_listen_tagged(s, address, 0, ret_address, size);
}

int http_listen_tagged(struct http_server *s, const char *address, unsigned tag, char *ret_address, size_t size)
{
	const char *path = strncmp(address, "unix:", 5) == 0 ? address + 5 : NULL;
	struct sockaddr_storage where;
	AUTOCLOSE int fd = -1;
	socklen_t len;
	int status = path ? 0 : parse_inet(address, &where, &len);

	if (status < 0)
		return status;
	fd = socket(path ? AF_UNIX : where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	status = path ? bind_unix(fd, path) : bind_inet(fd, &where, len);
	if (status < 0)
		return status;
	status = add_listener(s, fd, path, tag);
	if (status < 0)
		return status;
	if (path)
		snprintf(ret_address, size, "%s", address);
	else
		name_bound(fd, ret_address, size);
	take_fd(&fd);
	return 0;
}
