/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets that wait for somebody: TCP listeners and bound UDP, of IPv4 and IPv6 (R81), and
 * whose they are.  In workers.
 */
#pragma once

#include "base/str.h"

enum { SOCKET_ADDRESS_SIZE = 46 };

enum socket_protocol { SOCKET_TCP, SOCKET_TCP6, SOCKET_UDP, SOCKET_UDP6, SOCKET_PROTOCOLS };
extern const char *const socket_protocols[]; /* "tcp", …, NULL at the end */

struct socket_info {
	enum socket_protocol protocol;
	uint16_t port;
	char address[SOCKET_ADDRESS_SIZE];
	uint64_t inode;
	pid_t pid; /* 0 not known */
	char process[64];
};

/* One line of /proc/net/tcp and its like: whether it is one that waits. */
bool socket_parse(struct str line, enum socket_protocol protocol, struct socket_info *ret_socket);

struct sockets {
	struct socket_info *items; /* by port, then protocol and address */
	size_t count, cap;
};

/* All of them, at most `most`; *ret_truncated when there are more. */
void sockets_read(struct sockets *s, const char *root, size_t most, bool *ret_truncated);

/* Fills in pid and process by the descriptors of all processes that may be looked at.  `stop` is asked now and then. */
void sockets_find_owners(struct sockets *s, const char *root, bool (*stop)(void *user), void *user);
void sockets_free(struct sockets *s);
