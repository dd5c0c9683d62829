/* SPDX-License-Identifier: Apache-2.0 */
#include "http/conn.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	IN_LIMIT = 128 * 1024,    /* a head, or what is pipelined behind a request */
	PIPELINE_MAX = 16 * 1024, /* read ahead while a request is under way */
	TOO_LONG_MAX = 64 * 1024, /* of a head that is refused for its length, no more is waited for */
};

/* Silence and all of the time in which what is still sent after the last answer is thrown away. */
#define LINGER_IDLE_NS (2 * NS_PER_S)
#define LINGER_NS (30 * NS_PER_S)
/* While the server ends, a peer who reads nothing for so long is not waited for. */
#define DRAIN_IDLE_NS (2 * NS_PER_S)

static void on_watch(struct watch *w, unsigned events);

static void set_deadline(struct http_conn *c, int64_t after_ns)
{
	c->deadline_ns = after_ns ? clock_now_ns() + after_ns : 0;
}

bool conn_is_idle(const struct http_conn *c)
{
	return c->state == CONN_HEAD && c->in.len == 0;
}

static bool is_unix(int fd)
{
	int domain = 0;
	socklen_t size = sizeof domain;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

void conn_new(struct http_server *server, int fd, unsigned tag)
{
	struct http_conn *c = mem_new(struct http_conn);

	c->server = server;
	c->fd = fd;
	c->is_unix = is_unix(fd);
	c->tag = tag;
	buf_init(&c->in, IN_LIMIT);
	buf_init(&c->out, SIZE_MAX / 2);
	list_init(&c->kicked);
	list_append(&server->conns, &c->node);
	server_conn_added(server);
	set_deadline(c, server->limits.header_ns);
	if (watch_start(&c->watch, server->loop, fd, WATCH_READ | WATCH_HANGUP, on_watch) < 0) {
		conn_abort(c);
		conn_process(c);
	}
}

static void conn_free(struct http_conn *c)
{
	struct http_server *server = c->server;

	watch_stop(&c->watch);
	close_fd(c->fd);
	buf_free(&c->in);
	buf_free(&c->out);
	list_remove(&c->kicked);
	list_remove(&c->node);
	free(c);
	server_conn_removed(server);
}

void conn_kick(struct http_conn *c)
{
	if (c->processing || c->kicked.next != &c->kicked)
		return;
	list_append(&c->server->kicked, &c->kicked);
	server_kick(c->server);
}

/* The socket goes at once; the request, if there is one, still has to be answered. */
void conn_abort(struct http_conn *c)
{
	bool in_request = c->state == CONN_REQUEST;

	if (c->state == CONN_DEAD || c->state == CONN_LOST || c->state == CONN_FREE)
		return;
	watch_stop(&c->watch);
	close_fd(take_fd(&c->fd));
	buf_free(&c->in);
	buf_free(&c->out);
	c->fill_fn = NULL;
	if (c->state == CONN_REPLY) {
		c->state = CONN_FREE;
		reply_close_source(c);
		c->server->handlers->on_done(c, c->body_sent);
	} else if (c->state == CONN_UPGRADED) {
		c->state = CONN_LOST;
	} else {
		c->state = in_request ? CONN_DEAD : CONN_FREE;
	}
	if (in_request && !c->gone_told) {
		c->gone_told = true;
		c->server->handlers->on_gone(c);
	}
	conn_kick(c);
}

/* Reads what is there: false when nothing new came, or the end: c->eof. */
static bool read_some(struct http_conn *c)
{
	char *scratch = c->server->scratch;
	ssize_t len = recv(c->fd, scratch, HTTP_SCRATCH_SIZE, MSG_DONTWAIT);

	if (len > 0) {
		if (c->in.len == 0 && c->state == CONN_HEAD)
			set_deadline(c, c->server->limits.header_ns);
		buf_add(&c->in, scratch, (size_t)len);
		return true;
	}
	if (len == 0)
		c->eof = true;
	else if (errno != EAGAIN && errno != EINTR)
		conn_abort(c);
	return false;
}

static void start_request(struct http_conn *c, const struct head *head)
{
	c->state = CONN_REQUEST;
	c->deadline_ns = 0;
	c->keep_alive = head->keep_alive;
	c->http10 = head->minor == 0;
	c->gone_on_eof = c->gone_told = false;
	c->body_sent = 0;
	body_begin(c, head);
	c->server->handlers->on_request(c, head);
}

static void refuse(struct http_conn *c, enum http_problem problem, const char *reason)
{
	c->state = CONN_REQUEST;
	c->keep_alive = false;
	c->http10 = false;
	c->body_done = true;
	c->body_sent = 0;
	c->gone_on_eof = false;
	c->gone_told = true;
	c->server->handlers->on_bad(c, problem, reason, buf_str(&c->in));
}

/* True when it was answered: at its end, or when more of it would be too much. */
static bool too_long_step(struct http_conn *c)
{
	static const char end[] = "\r\n\r\n";
	const size_t len = sizeof end - 1;
	size_t from = c->head_from - MIN(c->head_from, len - 1);

	c->head_from = c->in.len;
	if (!c->eof && c->in.len < TOO_LONG_MAX && !memmem(c->in.data + from, c->in.len - from, end, len))
		return false;
	refuse(c, c->too_long, c->reason);
	return true;
}

/* True when the refusal was answered.  Who asked is told behind what was too long: a moment is waited for it. */
static bool refused_step(struct http_conn *c, enum http_problem problem, const char *reason)
{
	if (problem != HTTP_URI_TOO_LONG && problem != HTTP_HEADERS_TOO_LARGE) {
		refuse(c, problem, reason);
		return true;
	}
	c->too_long = problem;
	c->reason = reason;
	set_deadline(c, c->server->limits.too_long_ns);
	return too_long_step(c);
}

/* True when a head was complete or refused. */
static bool head_step(struct http_conn *c)
{
	static struct head head; /* large, and used only during the call: one thread */
	ssize_t len;

	if (c->too_long)
		return too_long_step(c);
	len = c->in.len ? head_parse(buf_str(&c->in), &c->head_from, &head) : 0;
	if (len == 0)
		return false;
	c->head_from = 0;
	if (len < 0)
		return refused_step(c, (enum http_problem) - len, head.reason);
	/* The head's strings point into what is dropped, which stays until the next read: after the call. */
	buf_drop(&c->in, (size_t)len);
	start_request(c, &head);
	return true;
}

static bool head_state(struct http_conn *c)
{
	if (head_step(c))
		return true;
	if (c->in.len == 0)
		buf_free(&c->in);
	/* Also after the peer closed its side: what it sent before may not have been read yet. */
	if (!c->server->draining && read_some(c))
		return true;
	if (!c->eof && !c->server->draining)
		return c->state != CONN_HEAD;
	if (!c->too_long || !head_step(c))
		conn_abort(c);
	return true;
}

/* While the handler works: the body where it is asked for, else only whether the peer is still there. */
static bool request_state(struct http_conn *c)
{
	if (c->fill_fn)
		return body_step(c);
	if (c->eof && c->gone_on_eof && !c->gone_told) {
		c->gone_told = true;
		c->server->handlers->on_gone(c);
		return true;
	}
	return false;
}

static void begin_linger(struct http_conn *c)
{
	c->state = CONN_LINGER;
	if (shutdown(c->fd, SHUT_WR) < 0 || c->eof) {
		conn_abort(c);
		return;
	}
	c->linger_until_ns = clock_now_ns() + LINGER_NS;
	set_deadline(c, LINGER_IDLE_NS);
}

void conn_end_upgraded(struct http_conn *c)
{
	ws_end(c);
	buf_free(&c->in);
	c->state = CONN_HEAD;
	begin_linger(c);
}

static bool lost_state(struct http_conn *c)
{
	ws_end(c);
	c->state = CONN_FREE;
	return true;
}

static bool reply_state(struct http_conn *c)
{
	if (!reply_step(c))
		return c->state != CONN_REPLY;
	reply_close_source(c);
	c->server->handlers->on_done(c, c->body_sent);
	c->user = NULL;
	buf_free(&c->out);
	if (!c->keep_alive || c->close_after || c->server->draining) {
		begin_linger(c);
		return true;
	}
	c->state = CONN_HEAD;
	c->deadline_ns = c->written_ns + (c->in.len ? c->server->limits.header_ns : c->server->limits.keep_alive_ns);
	if (c->in.len || c->eof)
		return true;
	/* Most often nothing more is there yet: the watch tells, and costs less than asking. */
	buf_free(&c->in);
	return false;
}

/* A close with bytes unread is a reset, which may take the answer away from the peer: so they are read. */
static bool linger_state(struct http_conn *c)
{
	ssize_t len = recv(c->fd, c->server->scratch, HTTP_SCRATCH_SIZE, MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (len <= 0 || clock_now_ns() > c->linger_until_ns)
		conn_abort(c);
	else
		set_deadline(c, LINGER_IDLE_NS);
	return true;
}

static bool step(struct http_conn *c)
{
	switch (c->state) {
	case CONN_HEAD:
		return head_state(c);
	case CONN_REQUEST:
		return request_state(c);
	case CONN_REPLY:
		return reply_state(c);
	case CONN_UPGRADED:
		return ws_step(c);
	case CONN_LINGER:
		return linger_state(c);
	case CONN_LOST:
		return lost_state(c);
	default:
		return false;
	}
}

static unsigned wanted_events(const struct http_conn *c)
{
	unsigned events = 0;

	switch (c->state) {
	case CONN_HEAD:
		/* As in the middle of most calls, so that nothing has to be changed for them. */
		return WATCH_READ | (c->eof ? 0 : WATCH_HANGUP);
	case CONN_LINGER:
		return WATCH_READ;
	case CONN_UPGRADED:
		return ws_wanted_events(c);
	case CONN_REQUEST:
	case CONN_REPLY:
		if (!c->eof)
			events |= WATCH_HANGUP;
		/* Reading tells of a reset and of pipelined requests; but not without bound. */
		if (!c->eof && (c->fill_fn || (c->body_done && c->in.len < PIPELINE_MAX)))
			events |= WATCH_READ;
		if (c->state == CONN_REPLY && c->out.len)
			events |= WATCH_WRITE;
		return events;
	default:
		return 0;
	}
}

void conn_process(struct http_conn *c)
{
	unsigned budget = 64; /* steps a turn, so that one busy peer does not hold the others */

	assert(!c->processing);
	c->processing = true;
	while (budget && step(c))
		budget--;
	c->processing = false;
	if (c->state == CONN_FREE) {
		conn_free(c);
		return;
	}
	watch_change(&c->watch, wanted_events(c));
	if (!budget || (c->state == CONN_REPLY && !c->out.len && !c->source_waits))
		conn_kick(c);
}

/* The peer closed its side; with bytes of it still unread, only the event says so. */
static void note_eof(struct http_conn *c, unsigned events)
{
	bool busy = c->state == CONN_REQUEST || c->state == CONN_REPLY;

	if (c->state == CONN_UPGRADED && events & WATCH_HANGUP)
		c->eof = true; /* what is still unread is not lost: the end comes behind it */
	if (!busy || !(events & (WATCH_READ | WATCH_HANGUP)))
		return;
	if (!c->fill_fn && c->body_done && c->in.len < PIPELINE_MAX) {
		while (!c->eof && c->in.len < PIPELINE_MAX && c->fd >= 0 && read_some(c))
			;
	} else if (events & WATCH_HANGUP && !c->fill_fn) {
		c->eof = true;
	}
}

static void on_watch(struct watch *w, unsigned events)
{
	struct http_conn *c = OWNER(w, struct http_conn, watch);

	/* A reset, as against a half-close: the peer will not read either. */
	if (events & WATCH_ERROR)
		conn_abort(c);
	note_eof(c, events);
	/* A stream that nobody reads any more is ended, a short answer is still sent. */
	if (c->state == CONN_REPLY && c->eof && c->gone_on_eof && !c->source_ended)
		conn_abort(c);
	list_remove(&c->kicked);
	conn_process(c);
}

static void timed_out(struct http_conn *c)
{
	switch (c->state) {
	case CONN_HEAD:
		if (c->too_long)
			refuse(c, c->too_long, c->reason);
		else if (c->in.len)
			refuse(c, HTTP_TIMEOUT, "the head did not arrive in time");
		else if (!read_some(c) && c->state == CONN_HEAD)
			begin_linger(c); /* nothing came in the last moment either */
		break;
	case CONN_REQUEST:
		if (c->fill_fn) {
			http_body_fn *fn = take_ptr(c->fill_fn);

			fn(c, -1, false, HTTP_TIMEOUT);
		}
		break;
	default:
		conn_abort(c);
	}
	conn_kick(c);
}

void conn_sweep(struct http_conn *c, int64_t now_ns)
{
	const struct http_limits *limits = &c->server->limits;
	int64_t quiet_ns;

	if (c->deadline_ns && now_ns >= c->deadline_ns) {
		c->deadline_ns = 0;
		timed_out(c);
	} else if (c->state == CONN_UPGRADED) {
		ws_sweep(c, now_ns);
	}
	if (c->state != CONN_REPLY)
		return;
	quiet_ns = now_ns - c->written_ns;
	if (c->out.len && quiet_ns > (c->server->draining ? DRAIN_IDLE_NS : limits->write_idle_ns))
		conn_abort(c);
	else if (c->heartbeat && quiet_ns > limits->heartbeat_ns)
		reply_heartbeat(c);
}

void conn_close_idle(struct http_conn *c)
{
	/* Nothing is owed to it: to wait for its close would only hold up the end of the server. */
	if (c->state == CONN_HEAD)
		conn_abort(c);
}

void http_set_user(struct http_conn *c, void *user)
{
	c->user = user;
}

void *http_user(const struct http_conn *c)
{
	return c->user;
}

unsigned http_tag(const struct http_conn *c)
{
	return c->tag;
}

void http_gone_on_eof(struct http_conn *c)
{
	c->gone_on_eof = true;
}

bool http_is_unix(const struct http_conn *c)
{
	return c->is_unix;
}
