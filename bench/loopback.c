/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor of uploads and downloads: a child at the other end of a loopback connection, and one thread that
 * copies between it and a file in blocks, and does nothing else.
 *
 * loopback upload FILE BYTES, loopback download FILE: prints "mb_s R".
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
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024 };

static char block[BLOCK];

static _Noreturn void other_end(uint16_t port, bool sends, uint64_t size)
{
	static struct peer peer;
	char text[8], *bytes;

	snprintf(text, sizeof text, "%u", port);
	peer_connect(&peer, text);
	memset(block, 'x', sizeof block);
	for (uint64_t at = 0; sends && at < size; at += BLOCK)
		peer_send(&peer, block, size - at < BLOCK ? (size_t)(size - at) : BLOCK);
	while (!sends && peer_some(&peer, &bytes, PEER_BUFFER))
		;
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

static uint64_t give(int from, int to)
{
	uint64_t total = 0;
	ssize_t len;

	while ((len = pread(from, block, sizeof block, (off_t)total)) > 0) {
		if (send(to, block, (size_t)len, MSG_NOSIGNAL) != len)
			die("send");
		total += (uint64_t)len;
	}
	close(to);
	return total;
}

int main(int argc, char **argv)
{
	bool up = argc == 4 && strcmp(argv[1], "upload") == 0;
	struct stat st = { .st_size = 0 };
	int listener, file, conn;
	int64_t before;
	uint64_t size;
	uint16_t port;
	pid_t pid;

	if (!up && (argc != 3 || strcmp(argv[1], "download") != 0))
		return 2;
	listener = listen_here(&port);
	file = up ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : open(argv[2], O_RDONLY | O_CLOEXEC);
	if (file < 0 || fstat(file, &st) < 0)
		die(argv[2]);
	size = up ? strtoull(argv[3], NULL, 10) : (uint64_t)st.st_size;
	before = now_ns();
	pid = fork();
	if (pid == 0)
		other_end(port, up, size);
	conn = accept(listener, NULL, NULL);
	if (pid < 0 || conn < 0)
		die("accept");
	errno = 0;
	if ((up ? take(conn, file) : give(file, conn)) != size)
		die("the bytes");
	wait_for(pid);
	printf("mb_s %.0f\n", (double)size * 1000 / (double)(now_ns() - before));
	return 0;
}
