/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it costs to run /bin/true through POST /shell on one connection, against the floor: posix_spawn
 * with two pipes, both read to their end, and a wait.  Rounds of both alternate, so that other load
 * falls on both; the ratio is the median of the rounds.
 *
 * exec PORT ROUNDS: prints "ratio R http_us H floor_us F health_us T".
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 20, ROUNDS_MAX = 1000 };

static const char REQUEST[] = "POST /shell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
			      "Content-Length: 22\r\n\r\n{\"argv\":[\"/bin/true\"]}";
static const char HEALTH[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

static struct peer peer;

static void by_http(void)
{
	peer_exchange(&peer, REQUEST, sizeof REQUEST - 1);
}

static void by_health(void)
{
	peer_exchange(&peer, HEALTH, sizeof HEALTH - 1);
}

static void by_floor(void)
{
	static const char *const argv[] = { "/bin/true", NULL };
	struct pipes p;

	start(&p, argv, true);
	drain(p.out);
	drain(p.err);
	wait_for(p.pid);
}

static double us_of(void (*run)(void))
{
	int64_t before = now_ns();

	for (int i = 0; i < RUNS; i++)
		run();
	return (double)(now_ns() - before) / RUNS / 1000;
}

int main(int argc, char **argv)
{
	static double ratios[ROUNDS_MAX], http[ROUNDS_MAX], floors[ROUNDS_MAX], health[ROUNDS_MAX];
	size_t rounds;

	if (argc != 3)
		return 2;
	rounds = strtoul(argv[2], NULL, 10) % (ROUNDS_MAX + 1);
	peer_connect(&peer, argv[1]);
	us_of(by_http);
	for (size_t i = 0; i < rounds; i++) {
		if (i % 2)
			floors[i] = us_of(by_floor);
		http[i] = us_of(by_http);
		if (i % 2 == 0)
			floors[i] = us_of(by_floor);
		health[i] = us_of(by_health);
		ratios[i] = http[i] / floors[i];
	}
	printf("ratio %.3f http_us %.1f floor_us %.1f health_us %.1f\n", median(ratios, rounds), median(http, rounds),
		median(floors, rounds), median(health, rounds));
	return 0;
}
