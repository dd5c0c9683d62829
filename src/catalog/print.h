/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalog as data, in the shape that the docs call the catalog (docs/protocol.md): what
 * `describe --json`, GET /ops and catalog/operations.json hold.
 */
#pragma once

#include "base/json_write.h"
#include "catalog/op.h"

enum { CATALOG_VERSION = 1, CATALOG_DIGEST_SIZE = 80 };

/* One op; texts false leaves the descriptions out (for the digest). */
void print_op(struct json_writer *w, const struct op *op, bool texts);

/* "sha256:…" over the canonical JSON of all ops without descriptions; computed once. */
const char *print_digest(void);

/* The envelope: catalog_version, digest, server_version, and "ops" with those that `wanted` takes (NULL: all). */
void print_catalog(struct json_writer *w, bool (*wanted)(const struct op *op, void *user), void *user);

/* The table of errors: [{"wire_code","status","code","type","exception","e_code","meaning"}]. */
void print_errors(struct json_writer *w);

/* Members of a row's object: "default"; "minimum" and "maximum". */
void print_default(struct json_writer *w, const struct field *field);
void print_range(struct json_writer *w, const struct field *field);

extern const char server_version[];
