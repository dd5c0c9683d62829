/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a policy file says, as values: filled in by policy_file.c, read by policy.c.
 *
 * Everything is in memory of `hold`.  Lists of texts end with NULL; NULL itself means that the
 * file says nothing.  Ops stand under their id, whatever name the file used.
 */
#pragma once

#include "catalog/field.h"
#include "policy/hold.h"
#include "policy/token.h"
#include "policy/yaml_tree.h"

enum profile { PROFILE_DEFAULT, PROFILE_READ_ONLY, PROFILE_FULL_ACCESS, PROFILE_LOCKED };

typedef const char *const *texts; /* NULL at the end */

struct named_switch {
	const char *key;  /* as written: what rules name */
	const char *name; /* the group, or the op's id */
	bool on;
};

struct op_value {
	const char *op, *name; /* "process.start", "max_processes" */
	int64_t value;
};

struct named_text {
	const char *name, *value;
};

struct paths_config {
	const char *base;
	texts roots, readonly, deny;
};

struct token_config {
	const char *name;
	const char *sha256;
	uint8_t hash[TOKEN_HASH_SIZE];
	texts scopes;
	int64_t expires; /* seconds; 0 never */
	struct list ops; /* of struct named_switch */
	struct paths_config paths;
	double per_second;
	struct list limits; /* of struct op_value */
	size_t line;
};

/* Whose calls are written down; those that are refused are in any case. */
enum audit_which { AUDIT_ALL, AUDIT_WRITES, AUDIT_LISTED };
struct audit_ops {
	enum audit_which which;
	texts ids; /* of AUDIT_LISTED */
};

struct config {
	struct hold hold;
	const char *file;                /* NULL: there is none */
	uint8_t digest[TOKEN_HASH_SIZE]; /* SHA-256 of its text */
	const struct yaml_node *tree;

	int64_t version;
	struct {
		texts listen;
		int64_t shutdown_grace;
		const char *commands; /* NULL: the default folder, where there is one */
		bool trust_forwarded;
	} server;
	int profile;             /* enum profile */
	struct list groups, ops; /* of struct named_switch */
	struct paths_config paths;
	struct list tokens; /* of struct token_config */
	struct {
		int64_t max_body_bytes, max_memory_bytes, max_connections, max_watchers;
		double per_second;
		struct list ops; /* of struct op_value */
	} limits;
	struct {
		bool fsync;
	} files;
	struct {
		const char *user;
		texts users;
		int64_t umask;
		uint64_t signals; /* bit N is signal N */
		int confine, network;
		texts read;
		int64_t nofile, nproc, fsize, cpu, as;
		int64_t memory_max, pids_max;
		double cpu_max;
		texts inherit;
		struct list set; /* of struct named_text */
	} process;
	struct {
		struct list languages; /* of struct language */
	} devtools;
	struct {
		const char *path;
		int64_t idle_timeout;
		texts allow_hosts;
	} browser;
	struct {
		texts origins;
	} cors;
	struct {
		const char *file; /* "" none */
		struct audit_ops ops;
	} audit;
};

struct language {
	const char *name;
	texts argv;
};
