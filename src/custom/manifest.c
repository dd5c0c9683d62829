/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/manifest.h"

#include "base/buf.h"
#include "policy/child_env.h"

#include <ctype.h>
#include <nettle/sha2.h>
#include <stdlib.h>

enum { DAY = 24 * 3600, TIMEOUT_DEFAULT = 300, START_DEFAULT = 10, START_MAX = 600, ARGV_MAX = 1024 };

static const char *const inputs[] = { [MANIFEST_STDIN_NONE] = "none", [MANIFEST_STDIN_JSON] = "json", NULL };
static const char *const results[] = { [MANIFEST_RESULT_TEXT] = "text", [MANIFEST_RESULT_JSON] = "json", NULL };

/* What a manifest of a worker cannot have: its commands say it themselves. */
static const char *const only_of_commands[] = { "description", "hidden", "args", "stdin", "result", NULL };

static row_read_fn row_command_name, row_folder, row_args, row_run, row_worker, row_arg_name, row_arg_type,
	row_arg_default;

/* One argument while it is read: its default needs its type, which may stand behind it. */
struct reading {
	struct arg arg;
	const char *type;
	const struct yaml_node *def;
	bool required;
};

#define ROW(name, reader, m, T, ...) \
	{ \
		.key = name, .read = reader, .offset = FIELD_AT(struct manifest, m, T), ##__VA_ARGS__ \
	}
#define ARG(name, reader, m, T, ...) \
	{ \
		.key = name, .read = reader, .offset = FIELD_AT(struct reading, m, T), ##__VA_ARGS__ \
	}
#define RANGE(lo, hi) .minimum = (lo), .maximum = (hi)
#define DOC(default_, why) .def = default_, .text = why

const struct row row_manifest[] = {
	ROW("name", row_command_name, name, const char *, DOC("", "What callers call it: custom.NAME.")),
	ROW("description", row_text, description, const char *, DOC("", "What it does, for people and for models.")),
	ROW("hidden", row_bool, hidden, bool, DOC("false", "Not listed, but it can be called.")),
	ROW("timeout", row_number, timeout, double, RANGE(0, DAY),
		DOC("300", "Seconds until a call is given up and ended; 0 is no limit.")),
	ROW("args", row_args, args, struct args, DOC("[]", "The arguments that it takes.")),
	ROW("run", row_run, run, struct list,
		DOC("", "The program and its arguments, without a shell; {arg} is the value of an argument.")),
	ROW("stdin", row_choice, input, int, .choices = inputs,
		DOC("none", "What it reads: nothing, or all arguments as one JSON object.")),
	ROW("result", row_choice, result, int, .choices = results,
		DOC("text", "What its standard output is: a text, or one JSON value.")),
	ROW("worker", row_worker, worker, texts, DOC("", "A program that is kept and has commands of its own.")),
	ROW("start_timeout", row_number, start_timeout, double, RANGE(1, START_MAX),
		DOC("10", "Seconds that a worker has to describe its commands.")),
	ROW("cwd", row_folder, cwd, const char *,
		DOC("", "Working directory, absolute or from the manifest's folder; the base directory when not given.")),
	ROW("env", row_env_set, env, struct list, DOC("{}", "Variables on top of those of every program.")),
	{ .key = NULL },
};

const struct row row_manifest_arg[] = {
	ARG("name", row_arg_name, arg.name, const char *, DOC("", "Its name: letters, digits and '_'.")),
	ARG("type", row_arg_type, type, const char *,
		DOC("string", "string, integer, float or boolean; with stdin: json also array and object.")),
	ARG("required", row_bool, required, bool, DOC("true", "Whether it must be given; false with a default.")),
	ARG("default", row_arg_default, def, const struct yaml_node *, DOC("", "Its value when it is not given.")),
	ARG("description", row_text, arg.description, const char *, DOC("", "What it is.")),
	{ .key = NULL },
};

bool command_name_valid(const char *name)
{
	static const char *const taken[] = { "list", "call", NULL };

	if (!islower((unsigned char)name[0]) || strlen(name) > COMMAND_NAME_MAX)
		return false;
	for (const char *const *one = taken; *one; one++) {
		if (strcmp(name, *one) == 0)
			return false;
	}
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(name);
}

static int row_command_name(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_text(r, row, node, to) < 0)
		return -1;
	if (command_name_valid(node->text))
		return 0;
	return row_fail(r, node,
		"a name like 'grade-all' is wanted here: small letters, digits, '-' and '_', not 'list' or 'call'; not '%.64s'",
		node->text);
}

static int row_folder(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	const char *slash = strrchr(r->file, '/');
	struct str folder = { r->file, slash ? (size_t)(slash - r->file) : 0 };

	if (row_text(r, row, node, to) < 0)
		return -1;
	if (!node->text[0])
		return row_fail(r, node, "a folder is wanted here, and there is nothing");
	if (node->text[0] != '/')
		*(const char **)to = hold_printf(
			r->hold, STR_FMT "%s%s", STR_ARG(folder), slash ? "/" : "", node->text);
	return 0;
}

static int row_worker(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)row;
	if (row_parse_texts(r, node, NULL, to) < 0)
		return -1;
	return node->count ? 0 : row_fail(r, node, "a program is wanted here");
}

static int row_run(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct list *list = to;
	struct template *items;

	(void)row;
	if (row_want(r, node, YAML_LIST, "a list: a program and its arguments") < 0)
		return -1;
	if (node->count == 0 || node->count > ARGV_MAX)
		return row_fail(r, node, "a program and at most %d arguments are wanted here", ARGV_MAX - 1);
	items = hold_array(r->hold, struct template, node->count);
	*list = (struct list){ items, node->count };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		const char *problem;

		if (row_want(r, item, YAML_SCALAR, "a text") < 0)
			return -1;
		problem = template_parse(r->hold, item->text, items++);
		if (problem)
			return row_fail(r, item, "%s", problem);
	}
	if (!node->first->text[0])
		return row_fail(r, node->first, "a program is wanted here, and there is nothing");
	return 0;
}

static int row_arg_name(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	if (row_text(r, row, node, to) < 0)
		return -1;
	if (arg_name_valid(str_of(node->text)))
		return 0;
	return row_fail(r, node, "a name of letters, digits and '_' is wanted here, not '%.64s'", node->text);
}

static int row_arg_type(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct row choice = *row;
	int type;

	choice.choices = arg_types;
	if (row_choice(r, &choice, node, &type) < 0)
		return -1;
	*(const char **)to = arg_types[type];
	return 0;
}

static int row_arg_default(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	(void)r;
	(void)row;
	*(const struct yaml_node **)to = node;
	return 0;
}

/* A plain scalar is the JSON that it looks like, all else a text. */
static bool is_literal(const struct yaml_node *node)
{
	struct json_error problem;
	struct arena arena;
	struct json *value;
	AUTOFREE char *copy = mem_strdup(node->text);
	bool is_json;

	if (node->quoted || !node->text[0] || strchr("\"[{ ", node->text[0]))
		return false;
	arena_init(&arena, YAML_TREE_BYTES * 8);
	is_json = json_parse(&arena, copy, strlen(copy), &value, &problem) == 0;
	arena_free(&arena);
	return is_json;
}

static void write_node(struct json_writer *w, const struct yaml_node *node)
{
	if (node->kind == YAML_SCALAR && is_literal(node)) {
		json_raw(w, str_of(node->text));
	} else if (node->kind == YAML_SCALAR) {
		json_string(w, node->text);
	} else if (node->kind == YAML_LIST) {
		json_array_begin(w);
		for (const struct yaml_node *item = node->first; item; item = item->next)
			write_node(w, item);
		json_array_end(w);
	} else {
		json_object_begin(w);
		for (const struct yaml_node *item = node->first; item; item = item->next) {
			json_key(w, item->key);
			write_node(w, item);
		}
		json_object_end(w);
	}
}

/* A text stays a text though it looks like a number. */
static const char *default_json(struct hold *hold, const struct yaml_node *node, enum arg_type type)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, YAML_TREE_BYTES * 8);
	json_write_init(&w, &text);
	if (type == ARG_STRING && node->kind == YAML_SCALAR && !(strcmp(node->text, "null") == 0 && !node->quoted))
		json_string(&w, node->text);
	else
		write_node(&w, node);
	return buf_failed(&text) ? NULL : hold_text(hold, buf_str(&text));
}

static bool fits(const char *json_text, enum arg_type type)
{
	AUTOFREE char *copy = mem_strdup(json_text);
	struct json_error problem;
	struct arena arena;
	struct json *value;
	bool does;

	arena_init(&arena, YAML_TREE_BYTES * 64);
	does = json_parse(&arena, copy, strlen(copy), &value, &problem) == 0 && arg_takes(type, value);
	arena_free(&arena);
	return does;
}

static int take_default(struct row_reader *r, const struct reading *reading, struct arg *arg)
{
	const char *json = default_json(r->hold, reading->def, arg->type);

	if (json && strcmp(json, "null") == 0)
		return 0;
	if (!json || !fits(json, arg->type))
		return row_fail(r, reading->def, "the default of '%s' must be %s %s", arg->name,
			strchr("aio", arg_types[arg->type][0]) ? "an" : "a", arg_types[arg->type]);
	arg->def_json = json;
	arg->def_text = reading->def->text;
	return 0;
}

static int finish_arg(
	struct row_reader *r, const struct yaml_node *node, const struct reading *reading, struct arg *arg)
{
	bool says_required = yaml_tree_get(node, "required") != NULL;

	*arg = reading->arg;
	if (!arg->name)
		return row_fail(r, node, "an argument without a name");
	if (!arg->description)
		arg->description = "";
	for (arg->type = ARG_STRING; reading->type && reading->type != arg_types[arg->type];)
		arg->type++;
	if (says_required && reading->required && reading->def)
		return row_fail(r, reading->def, "'%s' is required: it needs no default", arg->name);
	arg->required = says_required ? reading->required : !reading->def;
	return reading->def ? take_default(r, reading, arg) : 0;
}

static int row_args(struct row_reader *r, const struct row *row, const struct yaml_node *node, void *to)
{
	struct args *args = to;
	struct arg *items;

	(void)row;
	if (row_want(r, node, YAML_LIST, "a list of arguments") < 0)
		return -1;
	if (node->count > ARGS_MAX)
		return row_fail(r, node, "at most %d arguments are taken", ARGS_MAX);
	items = hold_array(r->hold, struct arg, node->count + 1);
	*args = (struct args){ items, 0 };
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		struct reading reading = { .def = NULL };

		if (row_read_map(r, row_manifest_arg, "", item, &reading) < 0 ||
			finish_arg(r, item, &reading, &items[args->count]) < 0)
			return -1;
		if (args_find(args, str_of(items[args->count].name)))
			return row_fail(r, item, "two arguments are called '%s'", items[args->count].name);
		args->count++;
	}
	return 0;
}

/* A value that may be missing would leave an empty argument, which few programs mean. */
static int check_placeholder(
	struct row_reader *r, const struct yaml_node *at, const struct manifest *m, const char *name)
{
	const struct arg *arg = args_find(&m->args, str_of(name));

	if (!arg)
		return row_fail(r, at, "there is no argument '%s' among args", name);
	if (!arg_is_plain(arg->type))
		return row_fail(r, at, "'%s' is an %s, which an argument of a program cannot hold: use 'stdin: json'",
			name, arg_types[arg->type]);
	if (!arg->required && !arg->def_json)
		return row_fail(r, at, "'%s' stands here, so it must be required or have a default", name);
	return 0;
}

static int check_command(struct row_reader *r, const struct manifest *m, const struct yaml_node *tree)
{
	const struct yaml_node *item = yaml_tree_get(tree, "run")->first;
	const struct template *templates = m->run.items;

	if (!m->name)
		return row_fail(r, tree, "a command needs a name");
	for (size_t i = 0; i < m->run.count; i++, item = item->next) {
		for (const struct template_piece *piece = templates[i].pieces; piece->arg; piece++) {
			if (check_placeholder(r, item, m, piece->arg) < 0)
				return -1;
		}
	}
	for (size_t i = 0; i < m->args.count; i++) {
		if (m->input == MANIFEST_STDIN_NONE && !arg_is_plain(m->args.items[i].type))
			return row_fail(r, yaml_tree_get(tree, "args"),
				"the %s '%s' reaches the command only with 'stdin: json'",
				arg_types[m->args.items[i].type], m->args.items[i].name);
	}
	return yaml_tree_get(tree, "start_timeout")
		       ? row_fail_key(r, yaml_tree_get(tree, "start_timeout"), "'start_timeout' is for workers only")
		       : 0;
}

static int check_whole(struct row_reader *r, const struct manifest *m, const struct yaml_node *tree)
{
	if (m->run.count && m->worker)
		return row_fail_key(r, yaml_tree_get(tree, "worker"), "only one of 'run' and 'worker' can be given");
	if (!m->run.count && !m->worker)
		return row_fail(r, tree, "'run' or 'worker' is wanted: what is to be done");
	for (const char *const *key = only_of_commands; m->worker && *key; key++) {
		const struct yaml_node *node = yaml_tree_get(tree, *key);

		if (node)
			return row_fail_key(r, node, "'%s' is not of a worker: its commands tell it themselves", *key);
	}
	return m->worker ? 0 : check_command(r, m, tree);
}

static void cleanup_manifest(struct manifest **m)
{
	manifest_unref(*m);
}

struct manifest *manifest_parse(const char *path, struct str text, const struct stat *st, struct err *err)
{
	CLEANUP(cleanup_manifest) struct manifest *m = mem_new(struct manifest);
	const char *slash = strrchr(path, '/');
	struct row_reader r = { .hold = &m->hold, .err = err };
	const struct yaml_node *tree;
	struct sha256_ctx sha;

	m->refs = 1;
	r.file = m->path = hold_text(&m->hold, str_of(path));
	m->file = m->path + (slash ? slash - path + 1 : 0);
	m->description = "";
	m->timeout = TIMEOUT_DEFAULT;
	m->start_timeout = START_DEFAULT;
	if (st)
		m->changed = st->st_mtim;
	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.p);
	sha256_digest(&sha, sizeof m->hash, m->hash);
	tree = yaml_tree_parse(&m->hold, m->path, text, err);
	if (!tree || row_read_map(&r, row_manifest, "", tree, m) < 0 || check_whole(&r, m, tree) < 0)
		return NULL;
	return take_ptr(m);
}

struct manifest *manifest_ref(struct manifest *m)
{
	m->refs++;
	return m;
}

void manifest_unref(struct manifest *m)
{
	if (!m || --m->refs > 0)
		return;
	hold_free(&m->hold);
	free(m);
}

void manifest_put_env(const struct manifest *m, struct child_env *env)
{
	const struct named_text *items = m->env.items;

	for (size_t i = 0; i < m->env.count; i++)
		child_env_put(env, items[i].name, str_of(items[i].value));
}

bool manifest_is_same(const struct manifest *a, const struct manifest *b)
{
	return strcmp(a->path, b->path) == 0 && memcmp(a->hash, b->hash, sizeof a->hash) == 0 &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}
