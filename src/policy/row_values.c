/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/row.h"

#include "base/buf.h"

#include <stdlib.h>

static const char *const kind_names[] = {
	[YAML_SCALAR] = "a plain value", [YAML_LIST] = "a list", [YAML_MAP] = "a map"
};

int row_want(struct row_reader *r, const struct yaml_node *node, enum yaml_kind kind, const char *what)
{
	if (node->kind == kind)
		return 0;
	if (node->kind == YAML_SCALAR && !node->quoted && !node->text[0])
		return row_fail(r, node, "%s is wanted here, and there is nothing", what);
	return row_fail(r, node, "%s is wanted here, not %s", what, kind_names[node->kind]);
}

int row_parse_bool(struct row_reader *r, const struct yaml_node *node, bool *ret_value)
{
	if (row_want(r, node, YAML_SCALAR, "true or false") < 0)
		return -1;
	if (node->quoted || (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
		return row_fail(r, node, "true or false is wanted here, not '%.64s'", node->text);
	*ret_value = node->text[0] == 't';
	return 0;
}

int row_bool(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	return row_parse_bool(r, node, to);
}

int row_parse_int(
	struct row_reader *r, const struct yaml_node *node, int64_t minimum, int64_t maximum, int64_t *ret_value)
{
	uint64_t value;

	if (row_want(r, node, YAML_SCALAR, "a whole number") < 0)
		return -1;
	if (node->quoted || str_to_u64(str_of(node->text), &value) < 0)
		return row_fail(r, node, "a whole number is wanted here, not '%.64s'", node->text);
	if ((int64_t)value < minimum || (int64_t)value > maximum)
		return row_fail(r, node, "a number from %lld to %lld is wanted here, not %s", (long long)minimum,
			(long long)maximum, node->text);
	*ret_value = (int64_t)value;
	return 0;
}

int row_int(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	return row_parse_int(r, node, row->minimum, row->maximum, to);
}

/* Digits with at most one point: no sign, exponent, "inf" or hexadecimal, which strtod() takes too. */
static bool is_decimal(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	const char *rest = text + digits;

	if (*rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	return digits > 0 && *rest == '\0' && strlen(text) <= 20;
}

int row_number(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	double value;

	if (row_want(r, node, YAML_SCALAR, "a number") < 0)
		return -1;
	if (node->quoted || !is_decimal(node->text))
		return row_fail(r, node, "a number is wanted here, not '%.64s'", node->text);
	value = strtod(node->text, NULL);
	if (value < (double)row->minimum || value > (double)row->maximum)
		return row_fail(r, node, "a number from %lld to %lld is wanted here, not %s", (long long)row->minimum,
			(long long)row->maximum, node->text);
	*(double *)to = value;
	return 0;
}

int row_text(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	if (row_want(r, node, YAML_SCALAR, "a text") < 0)
		return -1;
	*(const char **)to = node->text;
	return 0;
}

static int check_path(struct row_reader *r, const struct yaml_node *node)
{
	if (node->text[0] != '/')
		return row_fail(r, node, "an absolute path is wanted here, not '%.64s'", node->text);
	return 0;
}

int row_path(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_text(r, row, node, to) < 0)
		return -1;
	return check_path(r, node);
}

int row_path_or_none(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_text(r, row, node, to) < 0)
		return -1;
	return node->text[0] ? check_path(r, node) : 0;
}

int row_parse_texts(struct row_reader *r, const struct yaml_node *node,
	int (*check)(struct row_reader *r, const struct yaml_node *item), texts *ret_texts)
{
	const char **items, **end;

	if (row_want(r, node, YAML_LIST, "a list") < 0)
		return -1;
	items = end = hold_array(r->hold, const char *, node->count + 1);
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		if (row_want(r, item, YAML_SCALAR, "a text") < 0)
			return -1;
		if (!item->text[0])
			return row_fail(r, item, "a text is wanted here, and there is nothing");
		if (check && check(r, item) < 0)
			return -1;
		*end++ = item->text;
	}
	*ret_texts = items;
	return 0;
}

int row_texts(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_parse_texts(r, node, NULL, to) < 0)
		return -1;
	if (row->maximum && (int64_t)node->count > row->maximum)
		return row_fail(r, node, "at most %lld are taken here", (long long)row->maximum);
	return 0;
}

int row_paths(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_parse_texts(r, node, check_path, to) < 0)
		return -1;
	if ((int64_t)node->count < row->minimum)
		return row_fail(r, node, "at least one path is wanted here");
	return 0;
}

int row_choice(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	AUTOBUF struct buf known;

	buf_init(&known, 256);
	if (row_want(r, node, YAML_SCALAR, "a word") < 0)
		return -1;
	for (int i = 0; row->choices[i]; i++) {
		if (strcmp(node->text, row->choices[i]) == 0) {
			*(int *)to = i;
			return 0;
		}
		buf_addf(&known, "%s%s", i ? ", " : "", row->choices[i]);
	}
	return row_fail(r, node, "one of %s is wanted here, not '%.64s'", known.data, node->text);
}
