/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes between two sockets, both ways.  Each way holds a bounded amount: a side that does not
 * take what there is for it makes the other one wait.  The end of one side's sending is passed
 * on behind its bytes, and the other way goes on; once one way has ended, the other may be
 * silent for a while only, since nothing tells a peer that has closed from one that listens.
 *
 * A relay is a member of its owner.  on_end comes once, from a callback of the loop and never
 * from inside relay_start(); the owner then calls relay_stop(), as it may at any time.
 */
#pragma once

#include "base/buf.h"
#include "loop/loop.h"

enum { RELAY_HELD_MAX = 64 * 1024, RELAY_SCRATCH_SIZE = 64 * 1024 };

struct relay;

struct relay_side {
	struct relay *relay;
	struct watch watch;
	int fd;
	struct buf out;     /* what it has not taken */
	bool ended, closed; /* it sends no more; we do not send to it any more */
};

struct relay {
	struct loop *loop;
	struct relay_side client, server;
	struct timer silence;
	int64_t silence_ns;
	uint64_t
		client_left; /* bytes that the client may still send; with more it ends: the next request is not ours to pass on */
	bool one_answer; /* with the server's last byte all is done */
	void (*on_end)(struct relay *relay);
	char *scratch; /* of RELAY_SCRATCH_SIZE, shared by all of one thread */
};

/*
 * The descriptors belong to the relay from here, non-blocking ones; what is to go to the server
 * first stands in server.out, to the client in client.out (initialised, with RELAY_HELD_MAX or
 * more as limit).  The other members that have no side of their own are filled in before.
 * 0 or a negative errno, after which relay_stop() is still due.
 */
int relay_start(struct relay *relay, int client_fd, int server_fd) MUST_CHECK;
int relay_take_client(struct relay *relay); /* the descriptor is the owner's again */
void relay_stop(struct relay *relay);       /* closes both */
