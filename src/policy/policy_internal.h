/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a policy, for the files policy*.c alone.
 */
#pragma once

#include "policy/config.h"
#include "policy/policy.h"
#include "policy/rate.h"
#include "policy/token.h"

struct principal {
	const struct policy *policy;
	const char *name;
	const struct token_config *token; /* NULL: as much as the server has */
	texts scopes;
	struct list scope_list;
	struct roots *roots; /* own_roots, or the policy's */
	struct roots *own_roots;
	struct rate *rate; /* changes with each call, while the rest is constant */
	struct policy_facts facts;
};

/* All that must never be printed. */
struct policy_secrets {
	const char **texts;
	size_t count;
};

struct policy {
	unsigned refs;
	struct hold hold;
	struct config *config;
	texts disabled_groups;
	struct roots *roots;
	struct policy_facts facts;
	struct principal *principals; /* as many as hashes */
	uint8_t (*hashes)[TOKEN_HASH_SIZE];
	size_t principal_count;
	struct principal local;      /* when there are none */
	int64_t max_upload_size;     /* 0 not given */
	const struct run_as *self;   /* NULL: our uid has no entry */
	const struct run_as **users; /* process.user first, if given, then process.users */
	size_t user_count;
	struct as_user file_user; /* count 0: the server's own */
	struct policy_secrets secrets;
};
