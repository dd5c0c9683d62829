/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row for each key of a YAML file, the policy's and the commands' manifests: its name, how its value is read, where it goes, what
 * it means.  The parser, the "did you mean" and the test of docs/policy.md are readings of them.
 */
#pragma once

#include "policy/config.h"

struct row;

/* What reading needs; one for each file. */
struct row_reader {
	const char *file;  /* its name, for errors */
	struct hold *hold; /* of what is read */
	struct err *err;
};

/* Stores the node's value at `to`: 0, or -1 with r->err. */
typedef int row_read_fn(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to);

struct row {
	const char *key; /* from the file's top, or a token's: "paths.roots" */
	row_read_fn *read;
	size_t offset;
	int64_t minimum, maximum;
	const char *const *choices;
	const char *def, *text; /* for the docs: the default as written, one sentence */
};

extern const struct row row_file[], row_token[]; /* key NULL at the end */

/* Reads a map by rows; prefix is "" at the top, else "paths." */
int row_read_map(struct row_reader *r, const struct row *rows, const char *prefix, const struct yaml_node *map,
	void *to) MUST_CHECK;

/* Errors at a node: -1 with "FILE:LINE:COLUMN: ".  At its key, or at its value. */
int row_fail_key(struct row_reader *r, const struct yaml_node *node, const char *fmt, ...) PRINTF_LIKE(3, 4);
int row_fail(struct row_reader *r, const struct yaml_node *node, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Readers of values (row_values.c): plain ones, */
row_read_fn row_bool, row_int, row_number, row_text, row_path, row_path_or_none, row_texts, row_paths, row_choice;
/* and those with a meaning (row_kinds.c). */
row_read_fn row_version, row_mode, row_groups, row_ops, row_tokens, row_limits, row_limits_of_token, row_name,
	row_digest, row_scopes, row_time, row_signals, row_env_names, row_env_set, row_languages, row_origins,
	row_audit_ops, row_hosts;

int row_want(struct row_reader *r, const struct yaml_node *node, enum yaml_kind kind, const char *what) MUST_CHECK;
int row_parse_int(struct row_reader *r, const struct yaml_node *node, int64_t minimum, int64_t maximum,
	int64_t *ret_value) MUST_CHECK;
int row_parse_bool(struct row_reader *r, const struct yaml_node *node, bool *ret_value) MUST_CHECK;
/* The items as texts, each checked by `check` where there is one. */
int row_parse_texts(struct row_reader *r, const struct yaml_node *node,
	int (*check)(struct row_reader *r, const struct yaml_node *item), texts *ret_texts) MUST_CHECK;
