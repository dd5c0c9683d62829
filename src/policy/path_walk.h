/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a path through the roots: what place.h promises, step by step.
 *
 * First the kernel is asked whether the folder above the last name is reached without any
 * link; then the path as written is the true one.  Where it meets a link, or the path holds
 * "..", the walk goes part by part: it keeps the true position below the current root, reads
 * links itself and puts their targets in front of what is left.  A target that is absolute,
 * or climbs above the root, is text until it comes to a root again; it then goes on from there.
 * Denied entries end the walk where they are met, before anything tells whether more is there.
 */
#pragma once

#include "policy/roots.h"

#include <limits.h>

enum path_walk_flags {
	PATH_WALK_FOLLOW = 1,       /* the last name too, when it is a link */
	PATH_WALK_MISSING_OK = 2,   /* a folder on the way need not be there */
	PATH_WALK_FOLLOW_SLASH = 4, /* the last name when a slash follows it, as lstat() does */
};

enum { PATH_WALK_REST_MAX = 3 * PATH_MAX };

struct path_walk {
	const struct roots *roots;
	struct str given;
	unsigned flags;
	struct err *err;
	/* the result */
	const struct root *root; /* NULL while a target is outside of all */
	int parent_fd;           /* of the last name; -1 when missing */
	bool missing;
	size_t pos_len;
	char pos[PATH_MAX]; /* below the root, "" or "/a/b"; absolute while outside */
	/* the state */
	int root_fd, at_fd; /* the root; the folder at pos, or -1 for the root itself */
	bool needs_folder;  /* a slash or a dot follows the last name */
	unsigned links, steps;
	size_t rest, given_rest;       /* where what is left begins; and the part of it that the caller wrote */
	char text[PATH_WALK_REST_MAX]; /* what is left, at the end */
};

void path_walk_init(struct path_walk *w, const struct roots *roots, struct str given, unsigned flags, struct err *err);
int path_walk_run(struct path_walk *w) MUST_CHECK; /* 0, or -1 with *err */
void path_walk_done(struct path_walk *w);
