/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/route.h"

#include <stdio.h>

static bool is_placeholder(struct str part)
{
	return part.len > 2 && part.p[0] == '{';
}

/* Matches a template like "/process/{pid}/signal"; fills in the args of r when it does. */
static bool match(const char *template, const struct str *segments, size_t count, struct route *r)
{
	struct str rest = str_of(template + 1);
	size_t i = 0, args = 0;

	while (rest.len) {
		struct str part = str_cut(&rest, '/');

		if (i == count)
			return false;
		if (is_placeholder(part)) {
			r->args[args].name = (struct str){ part.p + 1, part.len - 2 };
			r->args[args++].value = segments[i];
		} else if (!str_eq(part, segments[i])) {
			return false;
		}
		i++;
	}
	r->arg_count = args;
	return i == count;
}

static void allow(struct route *r, const char *method)
{
	size_t len = strlen(r->allow);

	if (strstr(r->allow, method))
		return;
	snprintf(r->allow + len, sizeof r->allow - len, "%s%s", len ? ", " : "", method);
	if (strcmp(method, "GET") == 0)
		allow(r, "HEAD");
}

static bool method_fits(struct str method, const struct op *op, bool *ret_head)
{
	*ret_head = str_is(method, "HEAD") && strcmp(op->method, "GET") == 0;
	return *ret_head || str_is(method, op->method);
}

static bool find_rest(struct str method, const struct str *segments, size_t count, struct route *r)
{
	for (const struct op *const *op = ops_all; *op; op++) {
		bool head, fits = method_fits(method, *op, &head);
		struct route found = { .op = *op, .kind = ROUTE_REST, .head = head };

		if (!match((*op)->path, segments, count, &found) &&
			!((*op)->also && match((*op)->also, segments, count, &found)))
			continue;
		if (fits) {
			*r = found;
			return true;
		}
		allow(r, (*op)->method);
	}
	return false;
}

void route_find(struct str method, const struct str *segments, size_t count, struct route *ret_route)
{
	struct route *r = ret_route;
	bool uniform = count == 2 && str_is(segments[0], "ops");

	*r = (struct route){ .kind = ROUTE_NONE };
	if (uniform && str_is(method, "POST")) {
		r->op = op_find(segments[1]);
		if (r->op && r->op->kind != OP_WS)
			r->kind = ROUTE_UNIFORM;
		return;
	}
	if (find_rest(method, segments, count, r))
		return;
	if (uniform)
		allow(r, "POST");
	if (r->allow[0]) {
		allow(r, "OPTIONS");
		r->kind = str_is(method, "OPTIONS") ? ROUTE_OPTIONS : ROUTE_METHOD;
	}
}
