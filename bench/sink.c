/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor of an upload: a child sends bytes over loopback, and one thread takes them and writes them to
 * a file, in blocks of the size that the server uses.
 *
 * sink FILE BYTES: prints "mb_s R".
 */
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024 };

static char block[BLOCK];

static _Noreturn void send_all(uint16_t port, uint64_t size)
{
	static struct peer peer;
	char text[8];

	snprintf(text, sizeof text, "%u", port);
	peer_connect(&peer, text);
	memset(block, 'x', sizeof block);
	for (uint64_t at = 0; at < size; at += BLOCK)
		peer_send(&peer, block, size - at < BLOCK ? (size_t)(size - at) : BLOCK);
	_exit(0);
}

static int listen_here(uint16_t *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 1) < 0 ||
		getsockname(fd, (struct sockaddr *)&address, &len) < 0)
		die("listen");
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static uint64_t take(int from, int to)
{
	uint64_t total = 0;
	ssize_t len;

	while ((len = recv(from, block, sizeof block, MSG_WAITALL)) > 0) {
		if (write(to, block, (size_t)len) != len)
			die("write");
		total += (uint64_t)len;
	}
	return total;
}

int main(int argc, char **argv)
{
	uint64_t size = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	uint16_t port;
	int listener, from, to;
	int64_t before;
	pid_t pid;

	if (argc != 3)
		return 2;
	listener = listen_here(&port);
	to = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	before = now_ns();
	pid = fork();
	if (pid == 0)
		send_all(port, size);
	from = accept(listener, NULL, NULL);
	if (pid < 0 || from < 0 || to < 0)
		die(argv[1]);
	errno = 0;
	if (take(from, to) != size)
		die("the bytes");
	wait_for(pid);
	printf("mb_s %.0f\n", (double)size * 1000 / (double)(now_ns() - before));
	return 0;
}
