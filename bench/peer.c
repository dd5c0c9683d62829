/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

_Noreturn void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, errno ? strerrordesc_np(errno) : "not as expected");
	_exit(1);
}

int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

void sort(double *values, size_t count)
{
	qsort(values, count, sizeof *values, by_size);
}

double median(double *values, size_t count)
{
	sort(values, count);
	return values[count / 2];
}

void peer_connect(struct peer *p, const char *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)strtoul(port, NULL, 10)) };
	int on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	p->at = p->len = 0;
	if (p->fd < 0 || connect(p->fd, (struct sockaddr *)&address, sizeof address) < 0)
		die("connect");
	setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void peer_close(struct peer *p)
{
	close(p->fd);
}

void peer_send(struct peer *p, const void *bytes, size_t len)
{
	const char *from = bytes;

	while (len > 0) {
		ssize_t sent = send(p->fd, from, len, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			die("send");
		from += sent;
		len -= (size_t)sent;
	}
}

static bool fill(struct peer *p)
{
	ssize_t len;

	if (p->at == p->len)
		p->at = p->len = 0;
	len = recv(p->fd, p->bytes + p->len, sizeof p->bytes - p->len, 0);
	if (len < 0)
		die("recv");
	p->len += (size_t)len;
	return len > 0;
}

void peer_head(struct peer *p, struct peer_reply *ret)
{
	const char *from, *length, *end;

	while (!(end = memmem(p->bytes + p->at, p->len - p->at, "\r\n\r\n", 4))) {
		if (p->len - p->at > PEER_HEAD_MAX || !fill(p)) {
			errno = 0;
			die("the head of a reply");
		}
	}
	from = p->bytes + p->at;
	ret->status = (int)strtol(from + strlen("HTTP/1.1 "), NULL, 10);
	length = memmem(from, (size_t)(end - from), "Content-Length: ", 16);
	ret->length = length ? strtoll(length + 16, NULL, 10) : -1;
	p->at += (size_t)(end - from) + 4;
}

size_t peer_some(struct peer *p, char **ret, size_t most)
{
	size_t len;

	if (p->at == p->len && !fill(p))
		return 0;
	len = p->len - p->at;
	if (len > most)
		len = most;
	*ret = p->bytes + p->at;
	p->at += len;
	return len;
}

void peer_skip(struct peer *p, int64_t len)
{
	char *bytes;

	errno = 0;
	while (len > 0) {
		size_t some = peer_some(p, &bytes, (size_t)len);

		if (some == 0)
			die("a body that ends early");
		len -= (int64_t)some;
	}
}

void peer_exchange(struct peer *p, const char *request, size_t len)
{
	struct peer_reply reply;

	peer_send(p, request, len);
	peer_head(p, &reply);
	errno = 0;
	if (reply.status != 200 || reply.length < 0)
		die("a reply");
	peer_skip(p, reply.length);
}

void start(struct pipes *p, const char *const *argv, bool takes_errors)
{
	posix_spawn_file_actions_t actions;
	int out[2], err[2] = { -1, -1 };

	if (pipe2(out, O_CLOEXEC) < 0 || (takes_errors && pipe2(err, O_CLOEXEC) < 0))
		die("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	if (takes_errors)
		posix_spawn_file_actions_adddup2(&actions, err[1], 2);
	errno = posix_spawnp(&p->pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	if (errno)
		die(argv[0]);
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	if (takes_errors)
		close(err[1]);
	p->out = out[0];
	p->err = err[0];
}

uint64_t drain(int fd)
{
	static char bytes[64 * 1024];
	uint64_t total = 0;
	ssize_t len;

	while ((len = read(fd, bytes, sizeof bytes)) > 0)
		total += (uint64_t)len;
	close(fd);
	return total;
}

void wait_for(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		die("wait");
}
