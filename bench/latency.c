/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long an answer of GET /health takes, one after the other on one connection.
 *
 * latency PORT SECONDS: prints "count N p50_us A p99_us B p999_us C max_us D".
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT_MAX = 1000000, PAUSE_NS = 200000 };

static const char HEALTH[] = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

int main(int argc, char **argv)
{
	static double times[COUNT_MAX];
	static struct peer peer;
	size_t count = 0;
	int64_t end;

	if (argc != 3)
		return 2;
	end = now_ns() + (int64_t)(strtod(argv[2], NULL) * 1e9);
	peer_connect(&peer, argv[1]);
	while (count < COUNT_MAX && now_ns() < end) {
		struct timespec pause = { 0, PAUSE_NS };
		int64_t before = now_ns();

		peer_exchange(&peer, HEALTH, sizeof HEALTH - 1);
		times[count++] = (double)(now_ns() - before) / 1000;
		nanosleep(&pause, NULL); /* a caller now and then, not one more load */
	}
	sort(times, count);
	printf("count %zu p50_us %.0f p99_us %.0f p999_us %.0f max_us %.0f\n", count, times[count / 2],
		times[count * 99 / 100], times[count * 999 / 1000], times[count - 1]);
	return 0;
}
