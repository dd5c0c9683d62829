/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which op answers a method and a path: its own REST route, or POST /ops/{id}.
 */
#pragma once

#include "catalog/op.h"

enum route_kind {
	ROUTE_NONE,    /* 404 */
	ROUTE_METHOD,  /* 405: the path is known, allow says with which methods */
	ROUTE_OPTIONS, /* OPTIONS on a known path; allow likewise */
	ROUTE_REST,
	ROUTE_UNIFORM, /* POST /ops/{id}: all arguments in the body */
};

enum { ROUTE_ALLOW_SIZE = 64, ROUTE_ARGS_MAX = 2 };

struct route {
	enum route_kind kind;
	const struct op *op;
	bool head; /* HEAD on a GET route */
	char allow[ROUTE_ALLOW_SIZE];
	struct {
		struct str name, value;
	} args[ROUTE_ARGS_MAX]; /* the {…} parts; names point into the op */
	size_t arg_count;
};

/* segments: decoded parts of the path, without empty ones. */
void route_find(struct str method, const struct str *segments, size_t count, struct route *ret_route);
