/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the start of the server's process to its first answer, against the start and end of /bin/true.
 * The ready line on its standard output names the port, which is asked for /health at once.
 *
 * startup ROUNDS SERVER ARGUMENTS…: prints "ms M floor_ms F".
 */
#include "peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000 };

static const char HEALTH[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

static const char *port_of(int fd, char *line, size_t size)
{
	size_t len = 0;
	ssize_t got;
	char *colon;

	while (len < size - 1 && (got = read(fd, line + len, size - 1 - len)) > 0) {
		len += (size_t)got;
		if (memchr(line, '\n', len))
			break;
	}
	line[len] = '\0';
	colon = strrchr(line, ':');
	errno = 0;
	if (!colon)
		die("the ready line");
	return colon + 1;
}

static double ms_to_answer(const char *const *argv)
{
	static struct peer peer;
	int64_t before = now_ns();
	struct pipes p;
	char line[512];
	double ms;

	start(&p, argv, false);
	peer_connect(&peer, port_of(p.out, line, sizeof line));
	peer_exchange(&peer, HEALTH, sizeof HEALTH - 1);
	ms = (double)(now_ns() - before) / 1000000;
	peer_close(&peer);
	kill(p.pid, SIGTERM);
	drain(p.out);
	wait_for(p.pid);
	return ms;
}

static double ms_of_floor(void)
{
	static const char *const argv[] = { "/bin/true", NULL };
	int64_t before = now_ns();
	struct pipes p;

	start(&p, argv, false);
	drain(p.out);
	wait_for(p.pid);
	return (double)(now_ns() - before) / 1000000;
}

int main(int argc, char **argv)
{
	static double times[ROUNDS_MAX], floors[ROUNDS_MAX];
	size_t rounds;

	if (argc < 3)
		return 2;
	rounds = strtoul(argv[1], NULL, 10) % (ROUNDS_MAX + 1);
	for (size_t i = 0; i < rounds; i++) {
		times[i] = ms_to_answer((const char *const *)argv + 2);
		floors[i] = ms_of_floor();
	}
	printf("ms %.3f floor_ms %.3f\n", median(times, rounds), median(floors, rounds));
	return 0;
}
