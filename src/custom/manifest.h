/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manifest: the YAML file by which the template's author makes a command, or a worker with many.
 *
 * Every key is one row of row_manifest and row_manifest_arg, read as a policy file is: what is
 * wrong is told with file, line, column and the nearest key.  Once read it never changes; whoever
 * keeps it has a reference, and the last one frees it.
 */
#pragma once

#include "custom/args.h"
#include "custom/template.h"
#include "policy/row.h"

#include <sys/stat.h>

enum { COMMAND_NAME_MAX = 64, MANIFEST_HASH_SIZE = 32 };

enum manifest_stdin { MANIFEST_STDIN_NONE, MANIFEST_STDIN_JSON };
enum manifest_result { MANIFEST_RESULT_TEXT, MANIFEST_RESULT_JSON };

struct manifest {
	unsigned refs;
	struct hold hold;
	const char *path, *file; /* as given; its last part */
	uint8_t hash[MANIFEST_HASH_SIZE];
	struct timespec changed; /* when the file last was */

	const char *name, *description;
	bool hidden;
	double timeout; /* seconds; 0 none */
	struct args args;
	struct list run; /* of struct template; empty: a worker */
	int input, result;
	texts worker; /* NULL: a command */
	double start_timeout;
	const char *cwd; /* absolute; NULL is the base directory */
	struct list env; /* of struct named_text */
};

extern const struct row row_manifest[], row_manifest_arg[]; /* key NULL at the end */

/* A letter, then letters, digits, '-' and '_', small ones only; and none that the clients have for themselves. */
bool command_name_valid(const char *name);

/* NULL with err.  st: of the file, or NULL. */
struct manifest *manifest_parse(const char *path, struct str text, const struct stat *st, struct err *err);

struct manifest *manifest_ref(struct manifest *m);
void manifest_unref(struct manifest *m);

struct child_env;
void manifest_put_env(const struct manifest *m, struct child_env *env);

bool manifest_is_same(const struct manifest *a, const struct manifest *b); /* the same file, untouched */

/* Those of one file, or of all *.yaml of a folder in the order of their names. */
struct manifests {
	struct manifest **items;
	size_t count;
};

/* path NULL: the default folder, if it is there.  0, or -1 with err and nothing to free. */
int manifests_read(const char *path, struct manifests *ret_manifests, struct err *err) MUST_CHECK;
void manifests_free(struct manifests *m);
