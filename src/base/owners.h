/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of users and groups by their numbers, from /etc/passwd and /etc/group, which we
 * read ourselves: a static program has no name services.  A table is a snapshot; lines that
 * are not well-formed are skipped.
 */
#pragma once

#include "base/base.h"

struct owners;

struct owners *owners_load(void); /* a file that cannot be read counts as empty */
struct owners *owners_load_from(const char *passwd, const char *group);
void owners_free(struct owners *o); /* NULL is fine */

/* They live as long as the table; NULL when unknown. */
const char *owners_user(const struct owners *o, uid_t uid);
const char *owners_group(const struct owners *o, gid_t gid);
