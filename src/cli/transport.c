/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/transport.h"

#include "base/clock.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int wait_fd(int fd, short events, int timeout_ms)
{
	struct pollfd fds[2] = { { .fd = fd, .events = events }, { .fd = interrupt_fd(), .events = POLLIN } };

	int found;

	do {
		if (interrupt_seen())
			return -EINTR;
		found = poll(fds, 2, timeout_ms);
	} while (found < 0 && errno == EINTR);
	if (found < 0)
		return -errno;
	if (fds[1].revents)
		return -EINTR;
	return fds[0].revents;
}

static int left_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_now_ns();

	return left <= 0 ? 0 : (int)MIN((left + NS_PER_MS - 1) / NS_PER_MS, (int64_t)INT32_MAX);
}

/* Connects one address within the time left: the descriptor or -errno. */
static int connect_one(int family, const void *address, socklen_t len, int64_t deadline_ns)
{
	AUTOCLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int failed = 0, ready, ms;
	socklen_t size = sizeof failed;

	if (fd < 0)
		return -errno;
	if (connect(fd, address, len) == 0)
		return take_fd(&fd);
	if (errno != EINPROGRESS)
		return -errno;
	do {
		ms = left_ms(deadline_ns);
		ready = wait_fd(fd, POLLOUT, ms);
	} while (ready == 0 && ms > 0);
	if (ready < 0)
		return ready;
	if (ready == 0)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) < 0)
		return -errno;
	return failed ? -failed : take_fd(&fd);
}

static int explain(struct problem *p, int error, const struct address *to)
{
	problem_errno(p, -error, "cannot reach the server at %s", address_text(to));
	if (error == -ECONNREFUSED || error == -ENOENT) {
		size_t len = strlen(p->text);

		snprintf(p->text + len, sizeof p->text - len,
			"; is it running there? --url or ABX_URL names another address");
	}
	return -1;
}

static int open_tcp(struct transport *t, const struct address *to, int64_t deadline_ns, struct problem *p)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	int failed = getaddrinfo(to->host, to->port, &hints, &found);
	int fd = -ENOENT, yes = 1;

	if (failed)
		return problem_set(p, EXIT_OTHER, "cannot find the host '%s': %s", to->host, gai_strerror(failed));
	for (struct addrinfo *a = found; a && fd < 0 && fd != -EINTR; a = a->ai_next)
		fd = connect_one(a->ai_family, a->ai_addr, a->ai_addrlen, deadline_ns);
	freeaddrinfo(found);
	if (fd < 0)
		return explain(p, fd, to);
	/* Requests are written whole: waiting for more would only delay them.  Probes find a peer that is gone. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
	t->fd = fd;
	return 0;
}

static int open_unix(struct transport *t, const struct address *to, int64_t deadline_ns, struct problem *p)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	memcpy(address.sun_path, to->path, sizeof address.sun_path);
	fd = connect_one(AF_UNIX, &address, sizeof address, deadline_ns);
	if (fd < 0)
		return explain(p, fd, to);
	t->fd = fd;
	return 0;
}

static ssize_t socket_read(struct transport *t, void *to, size_t len)
{
	ssize_t got = recv(t->fd, to, len, 0);

	return got < 0 ? -errno : got;
}

static ssize_t socket_write(struct transport *t, const void *bytes, size_t len)
{
	ssize_t put = send(t->fd, bytes, len, MSG_NOSIGNAL);

	return put < 0 ? -errno : put;
}

static void socket_close(struct transport *t)
{
	close_fd(t->fd);
}

static const struct transport_type types[] = {
	[ADDRESS_TCP] = { open_tcp, socket_read, socket_write, socket_close },
	[ADDRESS_UNIX] = { open_unix, socket_read, socket_write, socket_close },
};

int transport_open(struct transport *t, const struct address *to, int64_t deadline_ns, struct problem *p)
{
	const struct transport_type *type = &types[to->kind];

	if (type->open(t, to, deadline_ns, p) < 0)
		return -1;
	t->type = type;
	return 0;
}

void transport_adopt(struct transport *t, int fd)
{
	*t = (struct transport){ .type = &types[ADDRESS_UNIX], .fd = fd };
}

bool transport_is_open(const struct transport *t)
{
	return t->type != NULL;
}

void transport_close(struct transport *t)
{
	if (t->type)
		t->type->close(t);
	t->type = NULL;
	t->fd = -1;
}

int transport_wait(struct transport *t, int wanted, int timeout_ms)
{
	short events = (short)((wanted & TRANSPORT_IN ? POLLIN : 0) | (wanted & TRANSPORT_OUT ? POLLOUT : 0));
	int ready = wait_fd(t->fd, events, timeout_ms);

	if (ready <= 0)
		return ready;
	/* A broken connection is readable: the read says what happened. */
	return (ready & (POLLIN | POLLHUP | POLLERR) ? TRANSPORT_IN : 0) | (ready & POLLOUT ? TRANSPORT_OUT : 0);
}

ssize_t transport_read(struct transport *t, void *to, size_t len)
{
	return t->type->read(t, to, len);
}

ssize_t transport_write(struct transport *t, const void *bytes, size_t len)
{
	return t->type->write(t, bytes, len);
}
