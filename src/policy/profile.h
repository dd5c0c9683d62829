/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a policy starts from before its groups and ops are read:
 *
 * default      every group but dev_tools and browser
 * read_only    every group, of it the ops whose scope ends in ":read"
 * full_access  everything
 * locked       the group core alone
 *
 * "groups" changes the first part (which groups), "ops" wins over both.
 */
#pragma once

#include "policy/config.h"

bool profile_has_group(enum profile profile, const char *group);
bool profile_has_scope(enum profile profile, const char *scope); /* NULL: an op without a scope */
