/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches origin.c, scope.c and the parsers of token.c.  The input is cut at its first newline
 * into two texts.  What is held: a host taken for loopback has a name of loopback in front, an
 * origin that is the page's own begins with the scheme and has the host's length in it, and a
 * scope matches no other scope but by a pattern.
 */
#include "policy/origin.h"
#include "policy/scope.h"
#include "policy/token.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_host(struct str host)
{
	if (origin_host_is_loopback(host))
		assert(str_starts(host, "127.") || str_starts(host, "[::1]") ||
			(host.len >= 9 && str_is_nocase((struct str){ host.p, 9 }, "localhost")));
}

static void check_pair(struct str a, struct str b)
{
	if (origin_is_same(a, b))
		assert(str_starts(a, "http://") && a.len + 3 >= b.len + strlen("http://"));
}

static void check_scope(struct str pattern, const char *scope)
{
	char text[64];

	if (pattern.len >= sizeof text || str_has(pattern, '\0'))
		return;
	memcpy(text, pattern.p, pattern.len);
	text[pattern.len] = '\0';
	if (scope_matches(text, scope) && !str_has(pattern, '*'))
		assert(strcmp(text, scope) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str second = { (const char *)data, size };
	struct str first = str_cut(&second, '\n');
	uint8_t hash[TOKEN_HASH_SIZE];
	int64_t seconds;
	struct err err;

	check_host(first);
	check_pair(first, second);
	origin_is_valid(first);
	for (const struct scope_info *scope = scope_all; size && scope->name; scope++)
		check_scope(first, scope->name);
	if (token_parse_time(first, &seconds) == 0)
		assert(first.len >= strlen("2027-01-01"));
	if (token_parse_digest(first, hash) == 0)
		assert(first.len == 2 * sizeof hash);
	if (token_check(first, "the token", &err) == 0)
		assert(first.len > 0 && first.p[0] != ' ' && first.p[first.len - 1] != ' ');
	return 0;
}
