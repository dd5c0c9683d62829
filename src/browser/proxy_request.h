/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a browser asks of its proxy: a tunnel to a host (CONNECT) or one http:// resource.  No I/O.
 *
 * The Host field must name the host that the target names: they could mean two hosts to the
 * policy and to the server.  What is passed on is in origin form, without the fields that
 * belong to this connection, and asks the server to close behind its answer, so that where the
 * answer ends is the server's to tell.
 */
#pragma once

#include "base/buf.h"
#include "policy/net_host.h"
#include "wire/head.h"

struct proxy_request {
	bool is_tunnel, head_only;
	struct net_host host; /* with its port */
	struct str authority; /* as it stands in the target */
	struct str path;      /* of a resource; may be empty */
	uint64_t body;        /* bytes behind the head */
};

struct proxy_fault {
	int status;
	const char *reason; /* a constant */
};

/* 0, or -1 with *ret_fault. */
int proxy_request_parse(
	const struct head *head, struct proxy_request *ret_request, struct proxy_fault *ret_fault) MUST_CHECK;

/* What a refused head means (enum head_problem). */
struct proxy_fault proxy_fault_of_head(int problem, const char *reason);

/* The head that the server of a resource gets. */
void proxy_request_write(const struct head *head, const struct proxy_request *request, struct buf *out);
