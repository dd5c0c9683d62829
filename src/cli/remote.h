/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files on the server: the calls that several commands need.  Paths are bytes.
 */
#pragma once

#include "cli/cli.h"

struct remote_stat {
	bool exists;
	char type;     /* 'f' file, 'd' folder, 'l' symbolic link, 'o' other */
	unsigned mode; /* permission bits */
	int64_t size;
};

int remote_stat(struct cli *cli, struct str path, bool follow, struct remote_stat *ret_stat) MUST_CHECK;

/* One folder; the reply's "entries" are sorted by name. */
int remote_list(struct cli *cli, struct str path, bool hidden, struct reply *ret_reply) MUST_CHECK;

/* A text or, where it is not UTF-8, the exact bytes beside it; decodes them in place, so ask once.  p NULL: there is none. */
struct str remote_exact(const struct json *object, const char *key, const char *exact_key);
/* The same for the name of an entry. */
struct str remote_name(const struct json *entry);
char remote_type(const struct json *object);
unsigned remote_mode(struct str octal);

/* dir, '/' and name; a new string. */
char *remote_join(struct str dir, struct str name);

/* The last part of a path, without slashes at its end; "" of "/". */
struct str remote_base(struct str path);

/* An op whose arguments are one path and at most one boolean (NULL: none). */
int remote_call(struct cli *cli, const char *op, struct str path, const char *option, bool value,
	struct reply *ret_reply) MUST_CHECK;
