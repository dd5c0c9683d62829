/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/catalog_op.h"

#include "base/utf8.h"
#include "cli/upload_fd.h"
#include "wire/url.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	TARGET_MAX = 16 * 1024,
	FILE_PARAM_MAX = 256 << 20,
	TREE_MAX = 256 << 20,
};

int catalog_op_get(struct cli *cli, const char *id, struct reply *ret_reply, const struct json **ret_op)
{
	AUTOBUF struct buf target;
	struct api *api = cli_api(cli);
	const struct json *ops;

	*ret_reply = (struct reply){ 0 };
	buf_init(&target, TARGET_MAX);
	if (!api)
		return -1;
	buf_adds(&target, "/ops/");
	url_encode(&target, str_of(id), false);
	if (buf_failed(&target))
		return problem_set(&cli->problem, EXIT_USAGE, "the name of the op is too long");
	if (api_get(api, "core.describe", target.data, ret_reply, &cli->problem) < 0)
		return -1;
	if (reply_parse(api, ret_reply, &cli->problem) < 0)
		return -1;
	ops = json_get(ret_reply->value, "ops");
	*ret_op = ops ? reply_list(ret_reply->value, "ops") : ret_reply->value;
	if (!*ret_op || !json_get(*ret_op, "id"))
		return problem_set(&cli->problem, EXIT_OTHER, "the server does not describe '%s'", id);
	return 0;
}

bool catalog_op_is_read(const struct json *op)
{
	const struct json *effects = json_get(op, "effects");

	return reply_bool(effects, "reads", false) && !reply_bool(effects, "writes", true) &&
	       !reply_bool(effects, "runs", true);
}

static const struct json *find_param(const struct json *op, struct str name)
{
	for (const struct json *p = reply_list(op, "params"); p; p = p->next) {
		if (str_eq(reply_text(p, "name"), name))
			return p;
	}
	return NULL;
}

/* Text that is JSON, checked on a copy, because reading changes it. */
static bool is_json(struct str text, enum json_type *ret_type)
{
	AUTOFREE char *copy = mem_alloc(text.len + 1);
	struct json_error where;
	struct arena arena;
	struct json *value = NULL;
	bool good;

	memcpy(copy, text.p, text.len);
	arena_init(&arena, TREE_MAX);
	good = json_parse(&arena, copy, text.len, &value, &where) == 0;
	if (good)
		*ret_type = value->type;
	arena_free(&arena);
	return good;
}

static int bad_value(struct cli *cli, struct str name, struct str type, struct str value)
{
	return problem_set(&cli->problem, EXIT_USAGE, "'" STR_FMT "' is of type " STR_FMT ", and '" STR_FMT "' is not",
		STR_ARG(name), STR_ARG(type), STR_ARG(value));
}

static int write_boolean(struct json_writer *w, struct str value)
{
	bool yes = str_is(value, "true") || str_is(value, "yes") || str_is(value, "1");

	if (!yes && !str_is(value, "false") && !str_is(value, "no") && !str_is(value, "0"))
		return -1;
	json_bool(w, yes);
	return 0;
}

static int write_text(struct json_writer *w, struct str value)
{
	if (!utf8_valid(value))
		return -1;
	json_text(w, value);
	return 0;
}

/* One value of a type of the catalog. */
static int write_value(struct json_writer *w, struct str type, struct str value)
{
	enum json_type found;

	if (str_is(type, "boolean"))
		return write_boolean(w, value);
	if (str_is(type, "integer") || str_is(type, "number")) {
		if (!is_json(value, &found) || found != JSON_NUMBER)
			return -1;
		json_raw(w, value);
		return 0;
	}
	if (str_is(type, "object") || str_is(type, "array") || str_is(type, "any")) {
		if (is_json(value, &found)) {
			json_raw(w, value);
			return 0;
		}
		return str_is(type, "any") ? write_text(w, value) : -1;
	}
	return write_text(w, value);
}

/* All --arg of this name: one JSON array, or one item each. */
static int write_array(
	struct cli *cli, struct json_writer *w, const struct json *param, const struct args *args, struct str name)
{
	struct str type = reply_text(json_get(param, "items"), "type");
	const char *text;
	size_t at = 0, count = 0;

	json_array_begin(w);
	while ((text = args_next(args, "arg", &at))) {
		struct str value = str_of(text), key = str_cut(&value, '=');

		if (!str_eq(key, name))
			continue;
		count++;
		if (write_value(w, type.p ? type : STR("string"), value) < 0)
			return bad_value(cli, name, type, value);
	}
	json_array_end(w);
	return count ? 0 : -1;
}

/* Whether an earlier --arg had this name: the whole array was written there. */
static bool is_repeated(const struct args *args, const char *until, struct str name)
{
	const char *text;
	size_t at = 0;

	while ((text = args_next(args, "arg", &at)) && text != until) {
		struct str value = str_of(text);

		if (str_eq(str_cut(&value, '='), name))
			return true;
	}
	return false;
}

static bool is_given(const struct args *args, const char *flag, struct str name)
{
	const char *text;
	size_t at = 0;

	while ((text = args_next(args, flag, &at))) {
		struct str value = str_of(text);

		if (str_eq(str_cut(&value, '='), name))
			return true;
	}
	return false;
}

static int write_arg(
	struct cli *cli, struct json_writer *w, const struct json *op, const struct args *args, const char *text)
{
	struct str value = str_of(text), name = str_cut(&value, '=');
	const struct json *param = find_param(op, name);
	struct str type = param ? reply_text(param, "type") : STR("string");

	if (!str_has(str_of(text), '=') || name.len == 0)
		return problem_set(&cli->problem, EXIT_USAGE, "'%s': --arg wants NAME=VALUE", text);
	if (str_is(type, "array") && !(value.len && value.p[0] == '[')) {
		if (is_repeated(args, text, name))
			return 0;
		json_key_str(w, name);
		return write_array(cli, w, param, args, name);
	}
	if (is_repeated(args, text, name) || is_given(args, "file", name))
		return problem_set(
			&cli->problem, EXIT_USAGE, "'" STR_FMT "' is given twice and takes one value", STR_ARG(name));
	if (str_is(type, "path") && !utf8_valid(value)) {
		AUTOFREE char *key = strndup(name.p, name.len);

		api_path(w, key, value);
		return 0;
	}
	json_key_str(w, name);
	return write_value(w, type, value) < 0 ? bad_value(cli, name, type, value) : 0;
}

static int read_file(struct cli *cli, const char *path, struct buf *to)
{
	bool is_stdin = strcmp(path, "-") == 0;
	AUTOCLOSE int fd = is_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (!is_stdin && fd < 0)
		return problem_errno(&cli->problem, errno, "cannot read '%s'", path);
	return upload_fd_read_all(is_stdin ? STDIN_FILENO : fd, path, to, &cli->problem);
}

static int write_file(struct cli *cli, struct json_writer *w, const struct json *op, const char *text)
{
	struct str value = str_of(text), name = str_cut(&value, '=');
	const struct json *param = find_param(op, name);
	AUTOBUF struct buf content;

	buf_init(&content, FILE_PARAM_MAX);
	if (value.len < 2 || value.p[0] != '@' || name.len == 0)
		return problem_set(&cli->problem, EXIT_USAGE, "'%s': --file wants NAME=@PATH", text);
	if (read_file(cli, value.p + 1, &content) < 0)
		return -1;
	json_key_str(w, name);
	if (param && str_is(reply_text(param, "type"), "bytes"))
		json_base64(w, buf_str(&content));
	else if (write_value(w, param ? reply_text(param, "type") : STR("string"), buf_str(&content)) < 0)
		return problem_set(&cli->problem, EXIT_USAGE, "'%s' holds no value of the type of '" STR_FMT "'",
			value.p + 1, STR_ARG(name));
	return 0;
}

/* The members of --json that no --arg or --file replaces. */
static int write_base(struct cli *cli, struct json_writer *w, const struct args *args)
{
	const char *given = args_value(args, "json");
	AUTOFREE char *text = given ? mem_strdup(given) : NULL;
	struct json *value = NULL;
	struct json_error where;
	struct arena arena;
	int failed = 0;

	if (!text)
		return 0;
	arena_init(&arena, TREE_MAX);
	if (json_parse(&arena, text, strlen(text), &value, &where) < 0)
		failed = problem_set(&cli->problem, EXIT_USAGE, "--json: line %zu, column %zu: %s", where.line,
			where.column, where.reason);
	else if (value->type != JSON_OBJECT)
		failed = problem_set(&cli->problem, EXIT_USAGE, "--json: an object is needed");
	for (const struct json *m = failed ? NULL : value->first; m; m = m->next) {
		if (is_given(args, "arg", m->key) || is_given(args, "file", m->key))
			continue;
		json_key_str(w, m->key);
		json_tree(w, m, false);
	}
	arena_free(&arena);
	return failed;
}

int catalog_op_args(struct cli *cli, const struct json *op, const struct args *args, struct buf *to)
{
	struct json_writer w;
	const char *text;
	size_t at = 0;

	json_write_init(&w, to);
	json_object_begin(&w);
	if (write_base(cli, &w, args) < 0)
		return -1;
	while ((text = args_next(args, "arg", &at))) {
		if (write_arg(cli, &w, op, args, text) < 0)
			return -1;
	}
	at = 0;
	while ((text = args_next(args, "file", &at))) {
		if (write_file(cli, &w, op, text) < 0)
			return -1;
	}
	json_object_end(&w);
	return buf_failed(to) ? problem_set(&cli->problem, EXIT_USAGE, "the arguments are too large") : 0;
}

int catalog_op_query(struct cli *cli, const struct args *args, struct buf *to)
{
	const char *text;
	size_t at = 0;
	bool first = true;

	while ((text = args_next(args, "arg", &at))) {
		struct str value = str_of(text), name = str_cut(&value, '=');

		if (!str_has(str_of(text), '=') || name.len == 0)
			return problem_set(&cli->problem, EXIT_USAGE, "'%s': --arg wants NAME=VALUE", text);
		buf_addc(to, first ? '?' : '&');
		url_encode(to, name, false);
		buf_addc(to, '=');
		url_encode(to, value, true);
		first = false;
	}
	return buf_failed(to) ? problem_set(&cli->problem, EXIT_USAGE, "the arguments are too long for a query") : 0;
}
