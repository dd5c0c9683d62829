/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of this folder share: a blocking HTTP client that costs little, a clock, children
 * with pipes, and medians.  Whatever fails ends the program: a figure of a failed run is none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PEER_BUFFER = 256 * 1024, PEER_HEAD_MAX = 4096 };

struct peer {
	int fd;
	size_t at, len;
	char bytes[PEER_BUFFER];
};

struct peer_reply {
	int status;
	int64_t length; /* -1: not announced */
};

_Noreturn void die(const char *what);
int64_t now_ns(void);
double median(double *values, size_t count); /* sorts them */
void sort(double *values, size_t count);

void peer_connect(struct peer *p, const char *port);
void peer_close(struct peer *p);
void peer_send(struct peer *p, const void *bytes, size_t len);
void peer_head(struct peer *p, struct peer_reply *ret);    /* reads the next reply's head */
size_t peer_some(struct peer *p, char **ret, size_t most); /* 1 to most bytes of its body; 0 at the end */
void peer_skip(struct peer *p, int64_t len);

/* One exchange of a request that was written out; its body is thrown away, and anything but 200 is a failure. */
void peer_exchange(struct peer *p, const char *request, size_t len);

struct pipes {
	pid_t pid;
	int out, err;
};

/* The least that anybody who wants a command's output does: input from /dev/null, two pipes. */
void start(struct pipes *p, const char *const *argv, bool takes_errors);
uint64_t drain(int fd); /* to its end, closed; how many bytes there were */
void wait_for(pid_t pid);
