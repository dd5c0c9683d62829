/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `cat FILE` writes, through the events of POST /shell/stream, against the same read from its pipe.
 * Rounds alternate; the reader of the events throws them away as the reader of the pipe does.
 *
 * stdout PORT FILE ROUNDS TIMES, the file being written so many times a round: prints "ratio R sse_mb_s S pipe_mb_s P", the ratio as rate against rate.
 */
#include "peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROUNDS_MAX = 1000, TIMES_MAX = 64, TAIL = 5 };

static unsigned times;

static double by_pipe(const char *file, uint64_t size)
{
	const char *argv[TIMES_MAX + 2] = { "cat" };
	int64_t before = now_ns();
	struct pipes p;

	for (unsigned i = 1; i <= times; i++)
		argv[i] = file;
	start(&p, argv, false);
	errno = 0;
	if (drain(p.out) != size)
		die("the pipe's bytes");
	wait_for(p.pid);
	return (double)size * 1000 / (double)(now_ns() - before);
}

/* To the last chunk; a chunk of data never ends so. */
static uint64_t read_events(struct peer *p)
{
	char tail[TAIL] = "", *bytes;
	uint64_t total = 0;

	while (memcmp(tail, "0\r\n\r\n", TAIL) != 0) {
		size_t len = peer_some(p, &bytes, PEER_BUFFER);

		if (len == 0)
			die("a stream that ends early");
		total += len;
		if (len >= TAIL) {
			memcpy(tail, bytes + len - TAIL, TAIL);
		} else {
			memmove(tail, tail + len, TAIL - len);
			memcpy(tail + TAIL - len, bytes, len);
		}
	}
	return total;
}

static double by_events(struct peer *p, const char *file, uint64_t size)
{
	static char body[TIMES_MAX * 512];
	char head[256];
	int64_t before = now_ns();
	struct peer_reply reply;
	size_t len = (size_t)snprintf(body, sizeof body, "{\"argv\":[\"cat\"");

	for (unsigned i = 0; i < times; i++)
		len += (size_t)snprintf(body + len, sizeof body - len, ",\"%s\"", file);
	snprintf(body + len, sizeof body - len, "]}");
	snprintf(head, sizeof head, "POST /shell/stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu\r\n\r\n",
		strlen(body));
	peer_send(p, head, strlen(head));
	peer_send(p, body, strlen(body));
	peer_head(p, &reply);
	errno = 0;
	if (reply.status != 200 || read_events(p) < size)
		die("the events");
	return (double)size * 1000 / (double)(now_ns() - before);
}

int main(int argc, char **argv)
{
	static double ratios[ROUNDS_MAX], events[ROUNDS_MAX], pipes[ROUNDS_MAX];
	static struct peer peer;
	struct stat st;
	size_t rounds;

	if (argc != 5 || strlen(argv[2]) > 500)
		return 2;
	if (stat(argv[2], &st) < 0)
		die(argv[2]);
	rounds = strtoul(argv[3], NULL, 10) % (ROUNDS_MAX + 1);
	times = (unsigned)strtoul(argv[4], NULL, 10) % (TIMES_MAX + 1);
	st.st_size *= times;
	peer_connect(&peer, argv[1]);
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			pipes[i] = by_pipe(argv[2], (uint64_t)st.st_size);
		events[i] = by_events(&peer, argv[2], (uint64_t)st.st_size);
		if (i % 2 == 0)
			pipes[i] = by_pipe(argv[2], (uint64_t)st.st_size);
		ratios[i] = events[i] / pipes[i];
	}
	printf("ratio %.3f sse_mb_s %.0f pipe_mb_s %.0f\n", median(ratios, rounds), median(events, rounds),
		median(pipes, rounds));
	return 0;
}
