/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long a key takes to come back: through a terminal's WebSocket, against a pseudo-terminal of our own.
 * On both sides `cat` echoes, on a terminal in raw mode.  Rounds of both alternate.
 *
 * echo PORT TARGET ROUNDS, TARGET being the session's ws_url from its first slash on: prints
 * "us U raw_us R ratio Q", the medians of all keys.
 */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { KEYS = 50, ROUNDS_MAX = 200, FRAME_HEAD = 6 };

static struct peer peer;
static int raw_fd;

static void byte_by_peer(char *ret)
{
	char *bytes;

	errno = 0;
	if (peer_some(&peer, &bytes, 1) != 1)
		die("the WebSocket");
	*ret = bytes[0];
}

/* The next frame's payload, thrown away up to its last byte; whether it was output. */
static bool take_frame(char *ret_last)
{
	char first, second, byte;
	size_t len;

	byte_by_peer(&first);
	byte_by_peer(&second);
	len = (size_t)second;
	if (second == 126) {
		byte_by_peer(&first);
		byte_by_peer(&byte);
		len = (size_t)(unsigned char)first << 8 | (unsigned char)byte;
		first = (char)0x82;
	}
	while (len--)
		byte_by_peer(ret_last);
	return first == (char)0x82;
}

/* A mask of zeros changes nothing. */
static void key_by_socket(char key)
{
	char frame[FRAME_HEAD + 1] = { (char)0x82, (char)0x81, 0, 0, 0, 0, key }, back = 0;

	peer_send(&peer, frame, sizeof frame);
	while (!take_frame(&back) || back != key)
		;
}

static void key_by_raw(char key)
{
	char back = 0;

	if (write(raw_fd, &key, 1) != 1 || read(raw_fd, &back, 1) != 1 || back != key)
		die("the pseudo-terminal");
}

static void keys(void (*press)(char key), double *us)
{
	for (int i = 0; i < KEYS; i++) {
		int64_t before = now_ns();

		press((char)('a' + i % 26));
		us[i] = (double)(now_ns() - before) / 1000;
	}
}

static void open_socket(const char *port, const char *target)
{
	char head[1024];
	struct peer_reply reply;

	snprintf(head, sizeof head,
		"GET %s HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
		"Sec-WebSocket-Protocol: abx.pty.binary\r\n\r\n",
		target);
	peer_connect(&peer, port);
	peer_send(&peer, head, strlen(head));
	peer_head(&peer, &reply);
	errno = 0;
	if (reply.status != 101)
		die("the upgrade");
}

static pid_t open_raw(void)
{
	struct termios raw;
	pid_t pid;
	int side;

	raw_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (raw_fd < 0 || grantpt(raw_fd) < 0 || unlockpt(raw_fd) < 0)
		die("posix_openpt");
	side = open(ptsname(raw_fd), O_RDWR | O_NOCTTY);
	if (side < 0 || tcgetattr(side, &raw) < 0)
		die("the pseudo-terminal");
	cfmakeraw(&raw);
	tcsetattr(side, TCSANOW, &raw);
	pid = fork();
	if (pid == 0) {
		dup2(side, 0);
		dup2(side, 1);
		execlp("cat", "cat", (char *)NULL);
		_exit(127);
	}
	close(side);
	return pid;
}

int main(int argc, char **argv)
{
	static double ours[ROUNDS_MAX * KEYS], raw[ROUNDS_MAX * KEYS];
	size_t rounds;
	double us, raw_us;
	pid_t pid;

	if (argc != 4)
		return 2;
	rounds = strtoul(argv[3], NULL, 10) % (ROUNDS_MAX + 1);
	open_socket(argv[1], argv[2]);
	pid = open_raw();
	keys(key_by_socket, ours);
	keys(key_by_raw, raw);
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			keys(key_by_raw, raw + i * KEYS);
		keys(key_by_socket, ours + i * KEYS);
		if (i % 2 == 0)
			keys(key_by_raw, raw + i * KEYS);
	}
	kill(pid, SIGKILL);
	wait_for(pid);
	us = median(ours, rounds * KEYS);
	raw_us = median(raw, rounds * KEYS);
	printf("us %.1f raw_us %.1f ratio %.3f\n", us, raw_us, us / raw_us);
	return 0;
}
