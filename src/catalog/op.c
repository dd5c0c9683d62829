/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/op.h"

const struct op *op_find_in(const struct op *const *ops, struct str id)
{
	for (const struct op *const *op = ops; *op; op++) {
		bool has_endpoint = (*op)->endpoint && !(*op)->is_dynamic;

		if (str_is(id, (*op)->id) || (has_endpoint && str_is(id, (*op)->endpoint)))
			return *op;
	}
	return NULL;
}

const struct op *op_find(struct str id)
{
	return op_find_in(ops_all, id);
}

const struct limit *op_limit(const struct op *op, const char *name)
{
	for (const struct limit *limit = op->limits; limit && limit->name; limit++) {
		if (strcmp(limit->name, name) == 0)
			return limit;
	}
	return NULL;
}

bool op_has_paths(const struct op *op)
{
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (field->type == FIELD_PATH || field->item_type == FIELD_PATH)
			return true;
	}
	return false;
}

static bool names_param(const char *path, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = path ? strchr(path, '{') : NULL; at; at = strchr(at + 1, '{')) {
		if (strncmp(at + 1, name, len) == 0 && at[1 + len] == '}')
			return true;
	}
	return false;
}

bool op_param_in_route(const struct op *op, const char *name)
{
	return names_param(op->path, name) || names_param(op->also, name);
}
