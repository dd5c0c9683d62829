/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/relay.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* So much from one side in one turn of the loop: others want theirs. */
enum { TURN_MAX = 256 * 1024 };

static struct relay_side *other(struct relay_side *side)
{
	struct relay *relay = side->relay;

	return side == &relay->client ? &relay->server : &relay->client;
}

static bool is_client(const struct relay_side *side)
{
	return side == &side->relay->client;
}

/* How much may be read from a side now. */
static size_t room(struct relay_side *side)
{
	size_t held = other(side)->out.len, most = held < RELAY_HELD_MAX ? RELAY_HELD_MAX - held : 0;

	most = MIN(most, (size_t)RELAY_SCRATCH_SIZE);
	/* One byte more than allowed, to see that there is one. */
	if (is_client(side) && side->relay->client_left < most)
		return (size_t)side->relay->client_left + 1;
	return most;
}

static unsigned wanted_events(struct relay_side *side)
{
	unsigned events = side->out.len ? WATCH_WRITE : 0;

	if (!side->ended && room(side) && !other(side)->closed)
		events |= WATCH_READ;
	return events;
}

/*
 * A server that does not listen any more may have answered before: its bytes are still read.  A
 * client that does not is gone.
 */
static int on_send_failed(struct relay_side *side, int reason)
{
	if (reason == EAGAIN || reason == EINTR)
		return 0;
	if (is_client(side))
		return -reason;
	side->closed = true;
	buf_free(&side->out);
	return 0;
}

/* Sends what there is at once and holds the rest: 0 or a negative errno. */
static int give(struct relay_side *side, const char *bytes, size_t len)
{
	ssize_t sent = 0;
	int r;

	if (side->out.len == 0)
		sent = send(side->fd, bytes, len, MSG_NOSIGNAL);
	if (sent < 0) {
		r = on_send_failed(side, errno);
		if (r < 0 || side->closed)
			return r;
		sent = 0;
	}
	if ((size_t)sent < len)
		buf_add(&side->out, bytes + sent, len - (size_t)sent);
	return buf_failed(&side->out) ? -ENOMEM : 0;
}

static int flush(struct relay_side *side)
{
	while (side->out.len) {
		ssize_t sent = send(side->fd, side->out.data, side->out.len, MSG_NOSIGNAL);

		if (sent < 0)
			return on_send_failed(side, errno);
		buf_drop(&side->out, (size_t)sent);
	}
	/* An idle tunnel holds no memory. */
	buf_free(&side->out);
	return 0;
}

/* Passes on what a side sends: 0 or a negative errno. */
static int take(struct relay_side *side)
{
	struct relay *relay = side->relay;
	size_t taken = 0, most;

	while (!side->ended && !other(side)->closed && taken < TURN_MAX && (most = room(side)) > 0) {
		ssize_t len = recv(side->fd, relay->scratch, most, 0);
		int r;

		if (len < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (len == 0) {
			side->ended = true;
			return 0;
		}
		if (is_client(side)) {
			if ((uint64_t)len > relay->client_left)
				return -EMSGSIZE;
			relay->client_left -= relay->client_left == UINT64_MAX ? 0 : (uint64_t)len;
		}
		r = give(other(side), relay->scratch, (size_t)len);
		if (r < 0)
			return r;
		taken += (size_t)len;
	}
	return 0;
}

/* The end of one side, told to the other behind the last byte. */
static void pass_end(struct relay_side *side)
{
	struct relay_side *to = other(side);

	if (side->ended && !to->closed && to->out.len == 0) {
		shutdown(to->fd, SHUT_WR);
		to->closed = true;
	}
}

static bool is_over(const struct relay *relay)
{
	return relay->client.closed && (relay->server.closed || relay->one_answer);
}

static void on_silence(struct timer *t)
{
	struct relay *relay = OWNER(t, struct relay, silence);

	relay->on_end(relay);
}

static void on_event(struct watch *w, unsigned events)
{
	struct relay_side *side = OWNER(w, struct relay_side, watch);
	struct relay *relay = side->relay;
	int r = 0;

	if (events & WATCH_WRITE)
		r = flush(side);
	if (r == 0 && (events & WATCH_READ))
		r = take(side);
	if (events & WATCH_ERROR)
		r = -ECONNRESET; /* what came before it was taken above */
	pass_end(&relay->client);
	pass_end(&relay->server);
	if (r < 0 || is_over(relay)) {
		relay->on_end(relay);
		return;
	}
	if (relay->client.ended || relay->server.ended)
		timer_start(&relay->silence, relay->loop, relay->silence_ns, on_silence);
	watch_change(&relay->client.watch, wanted_events(&relay->client));
	watch_change(&relay->server.watch, wanted_events(&relay->server));
}

int relay_start(struct relay *relay, int client_fd, int server_fd)
{
	int r;

	relay->client.relay = relay->server.relay = relay;
	relay->client.fd = client_fd;
	relay->server.fd = server_fd;
	r = watch_start(&relay->client.watch, relay->loop, client_fd, wanted_events(&relay->client), on_event);
	if (r == 0)
		r = watch_start(&relay->server.watch, relay->loop, server_fd, wanted_events(&relay->server), on_event);
	return r;
}

int relay_take_client(struct relay *relay)
{
	watch_stop(&relay->client.watch);
	return take_fd(&relay->client.fd);
}

static void stop_side(struct relay_side *side)
{
	watch_stop(&side->watch);
	close_fd(take_fd(&side->fd));
	buf_free(&side->out);
}

void relay_stop(struct relay *relay)
{
	timer_free(&relay->silence);
	stop_side(&relay->client);
	stop_side(&relay->server);
}
