/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What confinement costs a command: /bin/true through POST /shell on a server that confines and on one
 * that does not, each on one connection.  Rounds of both alternate, so that other load falls on
 * both; the ratio is the median of the rounds.
 *
 * confine PORT PLAIN_PORT TOKEN ROUNDS: prints "ratio R confined_us C plain_us P".
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 20, ROUNDS_MAX = 1000, REQUEST_SIZE = 512 };

static struct peer confined, plain;
static char request[REQUEST_SIZE];

static double us_of(struct peer *peer)
{
	int64_t before = now_ns();

	for (int i = 0; i < RUNS; i++)
		peer_exchange(peer, request, strlen(request));
	return (double)(now_ns() - before) / RUNS / 1000;
}

int main(int argc, char **argv)
{
	static double ratios[ROUNDS_MAX], with[ROUNDS_MAX], without[ROUNDS_MAX];
	size_t rounds;

	if (argc != 5)
		return 2;
	snprintf(request, sizeof request,
		"POST /shell HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"
		"Content-Length: 22\r\n\r\n{\"argv\":[\"/bin/true\"]}",
		argv[3]);
	rounds = strtoul(argv[4], NULL, 10) % (ROUNDS_MAX + 1);
	peer_connect(&confined, argv[1]);
	peer_connect(&plain, argv[2]);
	us_of(&confined);
	us_of(&plain);
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			without[i] = us_of(&plain);
		with[i] = us_of(&confined);
		if (i % 2 == 0)
			without[i] = us_of(&plain);
		ratios[i] = with[i] / without[i];
	}
	printf("ratio %.3f confined_us %.1f plain_us %.1f\n", median(ratios, rounds), median(with, rounds),
		median(without, rounds));
	return 0;
}
