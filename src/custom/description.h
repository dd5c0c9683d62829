/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker says of its commands: {"commands": [{"name", "description", "hidden", "timeout",
 * "args": [{"name", "type", "required", "default", "description"}]}]}.
 *
 * Never changed once it is made; each that keeps it has a reference.
 */
#pragma once

#include "custom/args.h"
#include "policy/hold.h"

enum { DESCRIPTION_MAX = 256 /* commands */, DESCRIPTION_PROBLEM_SIZE = 256 };

struct described {
	const char *name, *description;
	bool hidden;
	double timeout; /* -1: the manifest's */
	struct args args;
};

struct description {
	unsigned refs;
	struct hold hold;
	struct described *items;
	size_t count;
};

/* NULL with what is wrong in words. */
struct description *description_parse(const struct json *result, char ret_problem[static DESCRIPTION_PROBLEM_SIZE]);
struct description *description_ref(struct description *d);
void description_unref(struct description *d);
