/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One element of a command's argv, with {arg} where the value of an argument goes.
 *
 * An element stays one element whatever the values hold; "{{" and "}}" are braces.
 */
#pragma once

#include "base/buf.h"
#include "custom/args.h"
#include "policy/hold.h"

struct template_piece {
	struct str literal; /* what stands before the argument */
	const char *arg;    /* its name; NULL in the last piece */
};

struct template
{
	struct template_piece *pieces; /* the last one has no argument */
};

/* In memory of `hold`; NULL, or what is wrong with the text. */
const char *template_parse(struct hold *hold, const char *text, struct template *ret_template) MUST_CHECK;

/* The element for these arguments, which fit the schema, behind what is in `to`. */
void template_fill(const struct template *t, const struct args *args, const struct json *given, struct buf *to);
