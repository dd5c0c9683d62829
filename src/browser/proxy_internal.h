/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What proxy.c and proxy_conn.c share.  The proxy owns its connections.
 */
#pragma once

#include "base/list.h"
#include "browser/hostnames.h"
#include "browser/proxy.h"
#include "browser/proxy_request.h"
#include "policy/hold.h"

struct proxy {
	struct loop *loop;
	struct proxy_settings settings;
	struct hold hold; /* of the copied patterns */
	struct watch watch;
	struct timer accept_pause;
	int fd;
	unsigned port;
	struct hostnames *names;
	struct list_node conns;
	unsigned count;
	uint64_t refused;
	char *scratch; /* RELAY_SCRATCH_SIZE, for whoever reads at the moment */
};

struct proxy_conn;

/* The descriptor is the connection's from here. */
void proxy_conn_new(struct proxy *proxy, int fd);
void proxy_conn_free(struct list_node *node);
