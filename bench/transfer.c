/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw bodies in both directions.
 *
 * transfer upload PORT TARGET BYTES [SECONDS]: again and again until the time is over, at least once
 * transfer download PORT TARGET
 * transfer upload-pattern PORT TARGET BYTES, download-pattern PORT TARGET: each word tells its place, so
 *   that a byte that is missing, doubled or changed is seen; a program that says nothing saw none
 *
 * Prints "bytes N seconds S mb_s R".
 */
#include "peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 * 1024 };

static struct peer peer;
static uint64_t block[BLOCK / sizeof(uint64_t)];

static uint64_t word_at(uint64_t index)
{
	return (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void make_block(uint64_t at)
{
	for (size_t i = 0; i < BLOCK / sizeof *block; i++)
		block[i] = word_at(at / sizeof *block + i);
}

static void check_bytes(uint64_t at, const char *bytes, size_t len)
{
	errno = 0;
	for (size_t i = 0; i < len;) {
		size_t inside = (at + i) % sizeof(uint64_t), count = sizeof(uint64_t) - inside;
		uint64_t word = word_at((at + i) / sizeof word);

		if (count > len - i)
			count = len - i;
		if (memcmp(bytes + i, (const char *)&word + inside, count) != 0)
			die("a byte that is not what was sent");
		i += count;
	}
}

static void upload(const char *target, uint64_t size, bool pattern)
{
	struct peer_reply reply;
	char head[4096];

	snprintf(head, sizeof head,
		"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: %llu\r\n\r\n",
		target, (unsigned long long)size);
	peer_send(&peer, head, strlen(head));
	for (uint64_t at = 0; at < size; at += BLOCK) {
		if (pattern)
			make_block(at);
		peer_send(&peer, block, size - at < BLOCK ? (size_t)(size - at) : BLOCK);
	}
	peer_head(&peer, &reply);
	errno = 0;
	if (reply.status != 200)
		die("the upload");
	peer_skip(&peer, reply.length);
}

static uint64_t download(const char *target, bool pattern)
{
	struct peer_reply reply;
	char head[4096], *bytes;
	uint64_t at = 0;

	snprintf(head, sizeof head, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\n\r\n",
		target);
	peer_send(&peer, head, strlen(head));
	peer_head(&peer, &reply);
	errno = 0;
	if (reply.status != 200 || reply.length < 0)
		die("the download");
	while (at < (uint64_t)reply.length) {
		size_t len = peer_some(&peer, &bytes, PEER_BUFFER);

		if (len == 0)
			die("a download that ends early");
		if (pattern)
			check_bytes(at, bytes, len);
		at += len;
	}
	return at;
}

int main(int argc, char **argv)
{
	bool up = argc >= 5 && strncmp(argv[1], "upload", 6) == 0, pattern = argc > 1 && strstr(argv[1], "-pattern");
	double least = argc == 6 ? strtod(argv[5], NULL) : 0, seconds;
	uint64_t total = 0, size;
	int64_t before;

	if (argc < 4 || (!up && strncmp(argv[1], "download", 8) != 0))
		return 2;
	size = up ? strtoull(argv[4], NULL, 10) : 0;
	peer_connect(&peer, argv[2]);
	memset(block, 'x', sizeof block);
	before = now_ns();
	do {
		if (up)
			upload(argv[3], size, pattern);
		total += up ? size : download(argv[3], pattern);
		seconds = (double)(now_ns() - before) / 1e9;
	} while (seconds < least);
	printf("bytes %llu seconds %.4f mb_s %.0f\n", (unsigned long long)total, seconds,
		(double)total / seconds / 1e6);
	return 0;
}
