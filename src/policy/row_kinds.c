/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/row.h"

#include "policy/net_host.h"
#include "policy/ops_later.h"
#include "policy/origin.h"
#include "policy/policy.h"
#include "policy/scope.h"

#include <ctype.h>
#include <signal.h>

enum { UMASK_MAX = 0777, TOKEN_NAME_MAX = 64 };

int row_version(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	int64_t version;

	(void)row;
	if (row_parse_int(r, node, 0, INT64_MAX, &version) < 0)
		return -1;
	if (version != 1)
		return row_fail(r, node, "this build knows version 1 of the policy file, not %lld", (long long)version);
	*(int64_t *)to = version;
	return 0;
}

/* Octal, quoted or not: "022". */
int row_mode(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	int64_t mode = 0;
	size_t len;

	(void)row;
	if (row_want(r, node, YAML_SCALAR, "an octal mode") < 0)
		return -1;
	len = strlen(node->text);
	if (len < 3 || len > 4 || strspn(node->text, "01234567") != len)
		return row_fail(r, node, "three or four octal digits are wanted here, not '%.64s'", node->text);
	for (const char *c = node->text; *c; c++)
		mode = mode * 8 + (*c - '0');
	if (mode > UMASK_MAX)
		return row_fail(r, node, "a mode up to 0777 is wanted here, not '%s'", node->text);
	*(int64_t *)to = mode;
	return 0;
}

/* A map of names to true and false; `find` knows the name behind a key, or fails. */
static int read_switches(struct row_reader *r, const struct yaml_node *node,
	int (*find)(struct row_reader *r, const struct yaml_node *key, const char **ret_name), struct list *to)
{
	struct named_switch *items;

	if (row_want(r, node, YAML_MAP, "a map of names to true and false") < 0)
		return -1;
	items = hold_array(r->hold, struct named_switch, node->count + 1);
	*to = (struct list){ .items = items };
	for (const struct yaml_node *key = node->first; key; key = key->next) {
		struct named_switch *item = &items[to->count];

		item->key = key->key;
		if (find(r, key, &item->name) < 0 || row_parse_bool(r, key, &item->on) < 0)
			return -1;
		for (size_t i = 0; i < to->count; i++) {
			if (strcmp(items[i].name, item->name) == 0)
				return row_fail_key(r, key, "'%s' and '%s' are the same op", items[i].key, item->key);
		}
		to->count++;
	}
	return 0;
}

static int find_group(struct row_reader *r, const struct yaml_node *key, const char **ret_name)
{
	const char *nearest;

	for (const char *const *group = policy_groups; *group; group++) {
		if (strcmp(key->key, *group) == 0) {
			*ret_name = *group;
			return 0;
		}
	}
	nearest = str_nearest(str_of(key->key), policy_groups);
	if (nearest)
		return row_fail_key(r, key, "unknown group '%.64s', did you mean '%s'?", key->key, nearest);
	return row_fail_key(r, key, "unknown group '%.64s'", key->key);
}

static int find_op(struct row_reader *r, const struct yaml_node *key, const char **ret_name)
{
	const char *nearest = NULL;

	*ret_name = ops_later_id(key->key, &nearest);
	if (*ret_name)
		return 0;
	if (nearest)
		return row_fail_key(r, key, "unknown op '%.64s', did you mean '%s'?", key->key, nearest);
	return row_fail_key(r, key, "unknown op '%.64s'", key->key);
}

int row_groups(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	if (read_switches(r, node, find_group, to) < 0)
		return -1;
	for (const struct yaml_node *key = node->first; key; key = key->next) {
		if (strcmp(key->key, "core") == 0 && strcmp(key->text, "false") == 0)
			return row_fail_key(r, key, "the group 'core' cannot be switched off");
	}
	return 0;
}

int row_ops(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (read_switches(r, node, find_op, to) < 0)
		return -1;
	if (row->minimum) /* a token's: it may go without */
		return 0;
	for (const struct yaml_node *key = node->first; key; key = key->next) {
		const struct op *op = op_find(str_of(key->key));

		if (op && strcmp(op->group, "core") == 0 && strcmp(key->text, "false") == 0)
			return row_fail_key(
				r, key, "'%s' is of the group 'core', which cannot be switched off", key->key);
	}
	return 0;
}

/* The row of a limit that the op has; NULL where this build does not have the op, whose limits it cannot know then. */
static int find_limit(
	struct row_reader *r, const struct yaml_node *node, const char *id, const struct limit **ret_limit)
{
	const struct op *op = op_find(str_of(id));
	const char *names[OP_LIMITS_MAX + 1] = { NULL };
	const char *nearest;
	size_t count = 0;

	*ret_limit = op ? op_limit(op, node->key) : NULL;
	if (!op || *ret_limit)
		return 0;
	for (const struct limit *limit = op->limits; limit && limit->name && count < OP_LIMITS_MAX; limit++)
		names[count++] = limit->name;
	nearest = str_nearest(str_of(node->key), names);
	if (nearest)
		return row_fail_key(r, node, "'%s' has no limit '%.64s', did you mean '%s'?", id, node->key, nearest);
	return row_fail_key(r, node, "'%s' has no limit '%.64s'", id, node->key);
}

static int read_limit(struct row_reader *r, const struct yaml_node *node, const char *id, struct list *to)
{
	struct op_value *value = (struct op_value *)to->items + to->count;
	const struct limit *limit;

	if (find_limit(r, node, id, &limit) < 0 || row_parse_int(r, node, 0, INT64_MAX, &value->value) < 0)
		return -1;
	if (limit && value->value > limit->cap)
		return row_fail(r, node, "'%s' of '%s' can be at most %lld", limit->name, id, (long long)limit->cap);
	value->op = id;
	value->name = node->key;
	to->count++;
	return 0;
}

/* The server's own limits: they bound all callers together and no single one. */
static const char *const limits_of_server[] = { "max_body_bytes", "max_memory_bytes", "max_connections", "max_watchers",
	"rate", NULL };

/* What stands below "limits" and is none of the above is an op, or a mistake for one of both. */
static int find_limited(struct row_reader *r, const struct yaml_node *node, const char **ret_id)
{
	const char *own = str_nearest(str_of(node->key), limits_of_server), *op = NULL;

	if (!own || ops_later_id(node->key, &op))
		return find_op(r, node, ret_id);
	return row_fail_key(r, node, "unknown key 'limits.%.64s', did you mean '%s'?", node->key, own);
}

/* One op's map below "limits": called for each op, adds to the list. */
int row_limits(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct list *list = to;
	const struct op_value *old = list->items;
	struct op_value *items;
	const char *id;

	(void)row;
	if (find_limited(r, node, &id) < 0 || row_want(r, node, YAML_MAP, "a map of limits") < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(old[i].op, id) == 0)
			return row_fail_key(r, node, "limits of '%s' stand here already under its other name", id);
	}
	items = hold_array(r->hold, struct op_value, list->count + node->count + 1);
	if (list->count)
		memcpy(items, old, sizeof *items * list->count);
	list->items = items;
	for (const struct yaml_node *limit = node->first; limit; limit = limit->next) {
		if (read_limit(r, limit, id, list) < 0)
			return -1;
	}
	return 0;
}

int row_limits_of_token(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	for (const char *const *name = limits_of_server; *name; name++) {
		if (strcmp(node->key, *name) == 0)
			return row_fail_key(r, node, "'%s' is a limit of the whole server, not of a token", *name);
	}
	return row_limits(r, row, node, to);
}

int row_name(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	const char *name;

	if (row_text(r, row, node, &name) < 0)
		return -1;
	if (!name[0] || strlen(name) > TOKEN_NAME_MAX)
		return row_fail(r, node, "a name of 1 to %d characters is wanted here", TOKEN_NAME_MAX);
	for (const char *c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_-", *c))
			return row_fail(
				r, node, "a name of letters, digits, '-' and '_' is wanted here, not '%.64s'", name);
	}
	if (strcmp(name, "local") == 0)
		return row_fail(r, node, "'local' is the caller of a server without tokens");
	*(const char **)to = name;
	return 0;
}

/* The message does not repeat the value: it may be the token itself, put here by mistake. */
int row_digest(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	uint8_t hash[TOKEN_HASH_SIZE];

	if (row_text(r, row, node, to) < 0)
		return -1;
	if (token_parse_digest(str_of(node->text), hash) < 0)
		return row_fail(r, node, "64 hexadecimal digits are wanted here: the SHA-256 of the token");
	return 0;
}

static int check_scope(struct row_reader *r, const struct yaml_node *item)
{
	const char *nearest;

	if (scope_known(item->text, &nearest))
		return 0;
	if (nearest)
		return row_fail(r, item, "unknown scope '%.64s', did you mean '%s'?", item->text, nearest);
	return row_fail(r, item, "unknown scope '%.64s'", item->text);
}

int row_scopes(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	return row_parse_texts(r, node, check_scope, to);
}

int row_time(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	const char *text;

	if (row_text(r, row, node, &text) < 0)
		return -1;
	if (token_parse_time(str_of(text), to) < 0 || *(int64_t *)to <= 0)
		return row_fail(r, node, "a time like 2027-01-01T00:00:00Z is wanted here, not '%.64s'", text);
	return 0;
}

int row_signals(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	uint64_t bits = 0;

	if (row_want(r, node, YAML_LIST, "a list of signal numbers") < 0)
		return -1;
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		int64_t number;

		if (row_parse_int(r, item, row->minimum, row->maximum, &number) < 0)
			return -1;
		bits |= UINT64_C(1) << number;
	}
	*(uint64_t *)to = bits;
	return 0;
}

static int check_env_name(struct row_reader *r, const struct yaml_node *at, const char *name)
{
	if (!name[0] || strchr(name, '='))
		return row_fail_key(r, at, "'%.64s' is not a variable's name", name);
	if (strncmp(name, "ABX_", 4) == 0)
		return row_fail_key(r, at, "variables of the server itself, ABX_*, are never given to programs");
	return 0;
}

static int check_env_pattern(struct row_reader *r, const struct yaml_node *item)
{
	const char *star = strchr(item->text, '*');

	if (star && star[1])
		return row_fail(r, item, "'*' can only stand at the end, not as in '%.64s'", item->text);
	return check_env_name(r, item, item->text);
}

int row_env_names(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	return row_parse_texts(r, node, check_env_pattern, to);
}

int row_env_set(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct list *list = to;
	struct named_text *items;

	(void)row;
	if (row_want(r, node, YAML_MAP, "a map of variables") < 0)
		return -1;
	items = hold_array(r->hold, struct named_text, node->count + 1);
	*list = (struct list){ .items = items };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		if (row_want(r, item, YAML_SCALAR, "a text") < 0 || check_env_name(r, item, item->key) < 0)
			return -1;
		items[list->count++] = (struct named_text){ item->key, item->text };
	}
	return 0;
}

static bool has_file(texts argv)
{
	while (*argv && !strstr(*argv, "{file}"))
		argv++;
	return *argv != NULL;
}

int row_languages(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct list *list = to;
	struct language *items;

	(void)row;
	if (row_want(r, node, YAML_MAP, "a map of languages") < 0)
		return -1;
	items = hold_array(r->hold, struct language, node->count + 1);
	*list = (struct list){ .items = items };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		struct language *language = &items[list->count++];

		language->name = item->key;
		if (row_parse_texts(r, item, NULL, &language->argv) < 0)
			return -1;
		if (item->count == 0)
			return row_fail(r, item, "a program is wanted here");
		if (!has_file(language->argv))
			return row_fail(r, item, "'{file}' is wanted among the arguments: it stands for the code");
	}
	return 0;
}

static int check_origin(struct row_reader *r, const struct yaml_node *item)
{
	if (origin_is_valid(str_of(item->text)))
		return 0;
	return row_fail(r, item, "an origin like https://app.example.com is wanted here, not '%.64s'", item->text);
}

int row_origins(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	return row_parse_texts(r, node, check_origin, to);
}

static int read_audited(struct row_reader *r, const struct yaml_node *item, const char **ret_id)
{
	const char *nearest = NULL;

	if (row_want(r, item, YAML_SCALAR, "an op") < 0)
		return -1;
	*ret_id = ops_later_id(item->text, &nearest);
	if (*ret_id)
		return 0;
	if (nearest)
		return row_fail(r, item, "unknown op '%.64s', did you mean '%s'?", item->text, nearest);
	return row_fail(r, item, "unknown op '%.64s'", item->text);
}

int row_audit_ops(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct audit_ops *ops = to;
	const char **ids;
	size_t count = 0;

	(void)row;
	if (node->kind == YAML_SCALAR && (strcmp(node->text, "all") == 0 || strcmp(node->text, "writes") == 0)) {
		*ops = (struct audit_ops){ .which = node->text[0] == 'a' ? AUDIT_ALL : AUDIT_WRITES };
		return 0;
	}
	if (node->kind != YAML_LIST)
		return row_fail(r, node, "all, writes or a list of ops is wanted here");
	ids = hold_array(r->hold, const char *, node->count + 1);
	*ops = (struct audit_ops){ AUDIT_LISTED, ids };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		if (read_audited(r, item, &ids[count++]) < 0)
			return -1;
	}
	return 0;
}

static int check_host(struct row_reader *r, const struct yaml_node *item)
{
	if (net_pattern_is_valid(str_of(item->text)))
		return 0;
	for (const char *c = item->text; *c; c++) {
		if (*(const unsigned char *)c > 0x7f)
			return row_fail(
				r, item, "'%.64s' must stand here as browsers send it, in its 'xn--' form", item->text);
	}
	return row_fail(r, item,
		"a host like example.com, *.example.com, 127.0.0.1:8000 or * is wanted here, not '%.64s'", item->text);
}

int row_hosts(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	return row_parse_texts(r, node, check_host, to);
}
