/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/row.h"

#include <stdarg.h>
#include <stdio.h>

enum { KEY_MAX = 128, NAMES_MAX = 128, SHOWN_MAX = 256 };

static int PRINTF_LIKE(4, 0) fail(struct row_reader *r, size_t line, size_t column, const char *fmt, va_list args)
{
	char reason[SHOWN_MAX];

	vsnprintf(reason, sizeof reason, fmt, args);
	return err_set(r->err, ERR_ARGS_INVALID, "%s:%zu:%zu: %s", r->file, line, column, reason);
}

int row_fail_key(struct row_reader *r, const struct yaml_node *node, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail(r, node->line, node->column, fmt, args);
	va_end(args);
	return -1;
}

int row_fail(struct row_reader *r, const struct yaml_node *node, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail(r, node->value_line, node->value_column, fmt, args);
	va_end(args);
	return -1;
}

/* The part of a row's key that stands at this level: "roots" of "paths.roots" under "paths."; empty when not below. */
static struct str part_at(const struct row *row, const char *prefix)
{
	struct str rest;

	if (!str_starts(str_of(row->key), prefix))
		return (struct str){ NULL, 0 };
	rest = str_of(row->key + strlen(prefix));
	return str_cut(&rest, '.');
}

static int fail_unknown(struct row_reader *r, const struct row *rows, const char *prefix, const struct yaml_node *node)
{
	AUTOFREE char *copies = mem_alloc((size_t)NAMES_MAX * KEY_MAX);
	const char *names[NAMES_MAX];
	const char *nearest;
	size_t count = 0;

	for (const struct row *row = rows; row->key && count < NAMES_MAX - 1; row++) {
		struct str part = part_at(row, prefix);

		if (part.len && !str_is(part, "*")) {
			names[count] = copies + count * KEY_MAX;
			snprintf(copies + count++ * KEY_MAX, KEY_MAX, STR_FMT, STR_ARG(part));
		}
	}
	names[count] = NULL;
	nearest = str_nearest(str_of(node->key), names);
	if (nearest)
		return row_fail_key(r, node, "unknown key '%s%.64s', did you mean '%s'?", prefix, node->key, nearest);
	return row_fail_key(r, node, "unknown key '%s%.64s'", prefix, node->key);
}

static int read_value(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *base)
{
	return row->read(r, row, node, (char *)base + row->offset);
}

/* The row of the key, or the one of any key ("limits.*"); *ret_section: rows are below it ("paths"). */
static const struct row *find(const struct row *rows, const char *prefix, const char *key, bool *ret_section)
{
	const struct row *any = NULL;

	*ret_section = false;
	for (const struct row *row = rows; row->key; row++) {
		struct str part = part_at(row, prefix);
		bool is_last = part.len && part.p[part.len] == '\0';

		if (is_last && str_is(part, "*"))
			any = row;
		if (!str_is(part, key))
			continue;
		if (is_last)
			return row;
		*ret_section = true;
	}
	return *ret_section ? NULL : any;
}

static int read_member(
	struct row_reader *r, const struct row *rows, const char *prefix, const struct yaml_node *node, void *to)
{
	bool is_section;
	const struct row *row = find(rows, prefix, node->key, &is_section);
	char below[KEY_MAX];

	if (row)
		return read_value(r, row, node, to);
	if (!is_section)
		return fail_unknown(r, rows, prefix, node);
	snprintf(below, sizeof below, "%s%s.", prefix, node->key);
	return row_read_map(r, rows, below, node, to);
}

int row_read_map(
	struct row_reader *r, const struct row *rows, const char *prefix, const struct yaml_node *map, void *to)
{
	if (row_want(r, map, YAML_MAP, "a map of keys") < 0)
		return -1;
	for (const struct yaml_node *node = map->first; node; node = node->next) {
		if (read_member(r, rows, prefix, node, to) < 0)
			return -1;
	}
	return 0;
}
