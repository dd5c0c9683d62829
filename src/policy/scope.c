/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/scope.h"

const struct scope_info scope_all[] = {
#define SCOPE(scope, what) { scope, what },
#include "policy/scopes.def"
#undef SCOPE
	{ NULL, NULL },
};

static const char *const names[] = {
#define SCOPE(scope, what) scope,
#include "policy/scopes.def"
#undef SCOPE
	NULL,
};

static bool part_matches(struct str pattern, struct str part)
{
	return str_is(pattern, "*") || str_eq(pattern, part);
}

bool scope_matches(const char *pattern, const char *scope)
{
	struct str pattern_verb = str_of(pattern), verb = str_of(scope);
	struct str pattern_family, family;

	if (strcmp(pattern, "*") == 0)
		return true;
	/* "admin" has no verb: only itself and "*" match, not "*:read" and not "admin:*". */
	if (!strchr(pattern, ':') || !strchr(scope, ':'))
		return strcmp(pattern, scope) == 0;
	pattern_family = str_cut(&pattern_verb, ':');
	family = str_cut(&verb, ':');
	return part_matches(pattern_family, family) && part_matches(pattern_verb, verb);
}

bool scope_allowed(const char *const *patterns, const char *scope)
{
	for (; *patterns; patterns++) {
		if (scope_matches(*patterns, scope))
			return true;
	}
	return false;
}

bool scope_known(const char *pattern, const char **ret_nearest)
{
	for (const char *const *name = names; *name; name++) {
		if (scope_matches(pattern, *name))
			return true;
	}
	*ret_nearest = str_nearest(str_of(pattern), names);
	return false;
}
