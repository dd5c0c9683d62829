/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection of the browser: the head of its one request, the host's addresses, the server,
 * and the bytes between them; or an answer of our own, and then nothing more.
 */
#include "browser/proxy_internal.h"

#include "base/clock.h"
#include "browser/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IN_MAX = HEAD_LINE_MAX + HEAD_FIELDS_MAX + 4096, OUT_MAX = 2 * IN_MAX + RELAY_HELD_MAX, REASON_MAX = 512 };

/* For the peer to read our last words, and for one address to answer. */
#define LINGER_NS (2 * NS_PER_S)
#define ONE_ADDRESS_NS (5 * NS_PER_S)

struct proxy_conn {
	struct list_node node;
	struct proxy *proxy;
	int fd;                       /* the browser's, until the relay has it */
	struct watch watch;           /* of fd */
	struct timer timer;           /* of the stage */
	struct buf in;                /* the head, and what came behind it */
	size_t head_from;             /* of head_parse() */
	struct proxy_request request; /* its texts are not valid any more behind on_head() */
	struct hostnames_wait wait;
	struct lookup_result found;
	size_t next; /* of found, to be tried */
	int64_t connect_until_ns;
	int server_fd;
	struct watch server_watch;
	int last_errno;            /* why the last address was none; 0 when none was tried */
	struct net_host forbidden; /* an address that the name leads to and may not */
	struct relay relay;
};

void proxy_conn_free(struct list_node *node)
{
	struct proxy_conn *c = OWNER(node, struct proxy_conn, node);

	list_remove(&c->node);
	c->proxy->count--;
	hostnames_leave(&c->wait);
	timer_free(&c->timer);
	watch_stop(&c->watch);
	watch_stop(&c->server_watch);
	close_fd(c->fd);
	close_fd(c->server_fd);
	relay_stop(&c->relay);
	buf_free(&c->in);
	free(c);
}

/* --- the end: our own words, or none --- */

static void on_lingered(struct timer *t)
{
	proxy_conn_free(&OWNER(t, struct proxy_conn, timer)->node);
}

/* What still comes is not wanted, but a close with bytes unread could take the answer along. */
static void on_lingering(struct watch *w, unsigned events)
{
	struct proxy_conn *c = OWNER(w, struct proxy_conn, watch);
	ssize_t len = recv(c->fd, c->proxy->scratch, RELAY_SCRATCH_SIZE, 0);

	if (len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR) || (events & WATCH_ERROR))
		proxy_conn_free(&c->node);
}

static void linger(struct proxy_conn *c)
{
	watch_stop(&c->watch);
	shutdown(c->fd, SHUT_WR);
	if (watch_start(&c->watch, c->proxy->loop, c->fd, WATCH_READ, on_lingering) < 0)
		proxy_conn_free(&c->node);
	else
		timer_start(&c->timer, c->proxy->loop, LINGER_NS, on_lingered);
}

static const char *phrase(int status)
{
	static const struct {
		int status;
		const char *phrase;
	} all[] = { { 400, "Bad Request" }, { 403, "Forbidden" }, { 408, "Request Timeout" }, { 414, "URI Too Long" },
		{ 431, "Request Header Fields Too Large" }, { 501, "Not Implemented" }, { 502, "Bad Gateway" },
		{ 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" } };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (all[i].status == status)
			return all[i].phrase;
	}
	return "Error";
}

/* It fits the socket, to which nothing was written before. */
static void answer(struct proxy_conn *c, int status, const char *reason)
{
	char text[REASON_MAX * 2];
	int len = snprintf(text, sizeof text,
		"HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n"
		"Cache-Control: no-store\r\nConnection: close\r\n\r\n%s",
		status, phrase(status), strlen(reason) + 1, c->request.head_only ? "" : reason);

	if (!c->request.head_only)
		text[len++] = '\n';
	send(c->fd, text, (size_t)len, MSG_NOSIGNAL);
	linger(c);
}

static void answer_fault(struct proxy_conn *c, struct proxy_fault fault)
{
	answer(c, fault.status, fault.reason);
}

static void refuse(struct proxy_conn *c, const struct net_host *leads_to)
{
	const struct net_host *host = &c->request.host;
	const struct proxy_settings *s = &c->proxy->settings;
	char reason[REASON_MAX], address[INET6_ADDRSTRLEN + 32] = "";

	if (leads_to)
		snprintf(address, sizeof address, " at the address %.45s", leads_to->text);
	snprintf(reason, sizeof reason, "the browser may not go to '%s:%u'%s (policy:browser.allow_hosts)", host->text,
		host->port, address);
	c->proxy->refused++;
	if (s->on_refused)
		s->on_refused(s->user, host->text, host->port);
	answer(c, 403, reason);
}

/* --- the bytes between --- */

static void on_relay_end(struct relay *relay)
{
	struct proxy_conn *c = OWNER(relay, struct proxy_conn, relay);
	bool all_said = relay->one_answer && relay->client.closed;

	if (!all_said) {
		proxy_conn_free(&c->node);
		return;
	}
	c->fd = relay_take_client(relay);
	relay_stop(relay);
	linger(c);
}

static void start_relay(struct proxy_conn *c)
{
	static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct relay *relay = &c->relay;
	uint64_t body = c->request.body;

	timer_stop(&c->timer);
	watch_stop(&c->watch);
	watch_stop(&c->server_watch);
	/* The head was written anew into relay.server.out; what came behind it follows. */
	if (!c->request.is_tunnel && c->in.len > body) {
		proxy_conn_free(&c->node);
		return;
	}
	relay->client_left = c->request.is_tunnel ? UINT64_MAX : body - c->in.len;
	relay->one_answer = !c->request.is_tunnel;
	relay->on_end = on_relay_end;
	if (c->in.len)
		buf_add(&relay->server.out, c->in.data, c->in.len);
	if (c->request.is_tunnel)
		buf_add(&relay->client.out, established, sizeof established - 1);
	buf_free(&c->in);
	if (buf_failed(&relay->server.out) || buf_failed(&relay->client.out) ||
		relay_start(relay, take_fd(&c->fd), take_fd(&c->server_fd)) < 0)
		proxy_conn_free(&c->node);
}

/* --- the server --- */

static void try_next(struct proxy_conn *c);

static void on_address_late(struct timer *t)
{
	struct proxy_conn *c = OWNER(t, struct proxy_conn, timer);

	c->last_errno = ETIMEDOUT;
	try_next(c);
}

static void on_connected(struct watch *w, unsigned events)
{
	struct proxy_conn *c = OWNER(w, struct proxy_conn, server_watch);
	int reason = 0;
	socklen_t size = sizeof reason;

	(void)events;
	if (getsockopt(c->server_fd, SOL_SOCKET, SO_ERROR, &reason, &size) < 0)
		reason = errno;
	if (reason) {
		c->last_errno = reason;
		try_next(c);
	} else {
		start_relay(c);
	}
}

/* 0 when an answer is on its way, or a negative errno. */
static int start_connect(struct proxy_conn *c, const struct lookup_address *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)c->request.host.port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = v4.sin_port };
	int on = 1, r;

	memcpy(&v4.sin_addr, address->bytes, sizeof v4.sin_addr);
	memcpy(&v6.sin6_addr, address->bytes, sizeof v6.sin6_addr);
	c->server_fd = socket(address->is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->server_fd < 0)
		return -errno;
	setsockopt(c->server_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	r = address->is_v6 ? connect(c->server_fd, (struct sockaddr *)&v6, sizeof v6)
			   : connect(c->server_fd, (struct sockaddr *)&v4, sizeof v4);
	if (r < 0 && errno != EINPROGRESS)
		return -errno;
	return watch_start(&c->server_watch, c->proxy->loop, c->server_fd, WATCH_WRITE, on_connected);
}

/* What a name server says must not lead to what only this machine should reach. */
static bool may_connect(struct proxy_conn *c, const struct lookup_address *address)
{
	struct net_host host;

	net_host_of_address(address->bytes, address->is_v6, c->request.host.port, &host);
	/* Through us to us would be a loop. */
	if (net_host_is_own(&host) && host.port == c->proxy->port)
		return false;
	if (!c->found.from_dns || !net_host_is_own(&host) || net_patterns_allow(c->proxy->settings.allow_hosts, &host))
		return true;
	c->forbidden = host;
	return false;
}

static void give_up(struct proxy_conn *c)
{
	char reason[REASON_MAX];

	if (c->last_errno == 0) {
		refuse(c, c->forbidden.text[0] ? &c->forbidden : NULL);
		return;
	}
	snprintf(reason, sizeof reason, "cannot connect to '%s:%u': %s", c->request.host.text, c->request.host.port,
		strerror(c->last_errno));
	answer(c, c->last_errno == ETIMEDOUT ? 504 : 502, reason);
}

static void try_next(struct proxy_conn *c)
{
	watch_stop(&c->server_watch);
	close_fd(take_fd(&c->server_fd));
	while (c->next < c->found.found.count) {
		const struct lookup_address *address = &c->found.found.all[c->next++];
		int64_t left = c->connect_until_ns - clock_now_ns();
		int r;

		if (!may_connect(c, address))
			continue;
		if (left <= 0) {
			c->last_errno = ETIMEDOUT;
			break;
		}
		r = start_connect(c, address);
		if (r == 0) {
			timer_start(&c->timer, c->proxy->loop, MIN(left, ONE_ADDRESS_NS), on_address_late);
			return;
		}
		c->last_errno = -r;
		close_fd(take_fd(&c->server_fd));
	}
	timer_stop(&c->timer);
	give_up(c);
}

/* --- the name --- */

static void on_found(struct proxy_conn *c, const struct lookup_result *result)
{
	char reason[REASON_MAX];

	if (result->error == 0) {
		c->found = *result;
		try_next(c);
		return;
	}
	snprintf(reason, sizeof reason, "the name '%s' %s", c->request.host.text,
		result->error == -ENOENT ? "is not known" : "could not be looked up");
	answer(c, result->error == -ETIMEDOUT ? 504 : 502, reason);
}

static void on_name_known(struct hostnames_wait *wait, const struct lookup_result *result)
{
	on_found(OWNER(wait, struct proxy_conn, wait), result);
}

static void find_server(struct proxy_conn *c)
{
	const struct net_host *host = &c->request.host;
	const struct lookup_result *known;

	if (host->kind == NET_HOST_NAME) {
		known = hostnames_ask(c->proxy->names, host->text, &c->wait);
		if (known)
			on_found(c, known);
		return;
	}
	c->found.found.count = 1;
	c->found.found.all[0].is_v6 = host->kind == NET_HOST_V6;
	memcpy(c->found.found.all[0].bytes, host->address, NET_ADDRESS_SIZE);
	try_next(c);
}

/* --- the head --- */

static void on_head(struct proxy_conn *c, const struct head *head, size_t len)
{
	struct proxy_fault fault;

	timer_stop(&c->timer);
	watch_change(&c->watch, 0);
	if (proxy_request_parse(head, &c->request, &fault) < 0) {
		answer_fault(c, fault);
		return;
	}
	if (!net_patterns_allow(c->proxy->settings.allow_hosts, &c->request.host)) {
		refuse(c, NULL);
		return;
	}
	if (!c->request.is_tunnel)
		proxy_request_write(head, &c->request, &c->relay.server.out);
	buf_drop(&c->in, len);
	c->connect_until_ns = clock_now_ns() + c->proxy->settings.connect_ns;
	find_server(c);
}

static void on_readable(struct watch *w, unsigned events)
{
	struct proxy_conn *c = OWNER(w, struct proxy_conn, watch);
	struct head head;
	ssize_t len = recv(c->fd, c->proxy->scratch, MIN((size_t)RELAY_SCRATCH_SIZE, IN_MAX - c->in.len), 0);

	if (len < 0 && (errno == EAGAIN || errno == EINTR) && !(events & WATCH_ERROR))
		return;
	if (len > 0)
		buf_add(&c->in, c->proxy->scratch, (size_t)len);
	if (len <= 0 || buf_failed(&c->in)) {
		proxy_conn_free(&c->node);
		return;
	}
	len = head_parse(buf_str(&c->in), &c->head_from, &head);
	if (len > 0)
		on_head(c, &head, (size_t)len);
	else if (len < 0)
		answer_fault(c, proxy_fault_of_head((int)-len, head.reason));
}

static void on_head_late(struct timer *t)
{
	struct proxy_conn *c = OWNER(t, struct proxy_conn, timer);

	if (c->in.len)
		answer(c, 408, "the request did not come in time");
	else
		proxy_conn_free(&c->node);
}

void proxy_conn_new(struct proxy *proxy, int fd)
{
	struct proxy_conn *c = mem_new(struct proxy_conn);
	int on = 1;

	c->proxy = proxy;
	c->fd = fd;
	c->server_fd = c->relay.client.fd = c->relay.server.fd = -1;
	c->relay.loop = proxy->loop;
	c->relay.scratch = proxy->scratch;
	c->relay.silence_ns = proxy->settings.silence_ns;
	list_append(&proxy->conns, &c->node);
	list_init(&c->wait.node);
	c->wait.on_done = on_name_known;
	buf_init_budgeted(&c->in, IN_MAX);
	buf_init_budgeted(&c->relay.server.out, OUT_MAX);
	buf_init_budgeted(&c->relay.client.out, OUT_MAX);
	proxy->count++;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	timer_start(&c->timer, proxy->loop, proxy->settings.head_ns, on_head_late);
	if (watch_start(&c->watch, proxy->loop, fd, WATCH_READ, on_readable) < 0)
		proxy_conn_free(&c->node);
}
