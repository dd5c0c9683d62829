/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose program is at the other end of a TCP connection over loopback: the kernel tells, over
 * netlink or, where that is closed, in /proc/net/tcp.
 */
#pragma once

#include "base/base.h"

/* The uid of the peer's socket of a connection between 127.0.0.1 and 127.0.0.1: 0 or a negative errno. */
int peer_owner(int fd, uid_t *ret_uid) MUST_CHECK;

/* The two ways, each by itself: the ports of the peer and of us. */
int peer_owner_by_netlink(unsigned peer_port, unsigned own_port, uid_t *ret_uid) MUST_CHECK;
int peer_owner_in_table(const char *path, unsigned peer_port, unsigned own_port, uid_t *ret_uid) MUST_CHECK;
