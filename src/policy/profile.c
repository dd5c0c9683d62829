/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/profile.h"

#include "policy/scope.h"

bool profile_has_group(enum profile profile, const char *group)
{
	if (strcmp(group, "core") == 0)
		return true;
	if (profile == PROFILE_DEFAULT)
		return strcmp(group, "dev_tools") != 0 && strcmp(group, "browser") != 0;
	return profile != PROFILE_LOCKED;
}

bool profile_has_scope(enum profile profile, const char *scope)
{
	return profile != PROFILE_READ_ONLY || !scope || scope_matches("*:read", scope);
}
