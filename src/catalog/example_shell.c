/* SPDX-License-Identifier: Apache-2.0 */
/* Examples for a shell: with curl, and with abx. */
#include "catalog/example_internal.h"
#include "catalog/gen_nodes.h"

enum { ARENA_MAX = 1 << 20, TEXT_MAX = 64 * 1024 };

static bool means_nothing_to_a_shell(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-_./=:@,+%", c));
}

static void add_quoted(struct buf *out, struct str text)
{
	buf_addc(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] == '\'')
			buf_adds(out, "'\\'");
		buf_addc(out, text.p[i]);
	}
	buf_addc(out, '\'');
}

static void add_word(struct buf *out, struct str text)
{
	bool bare = text.len > 0;

	for (size_t i = 0; i < text.len; i++)
		bare = bare && means_nothing_to_a_shell(text.p[i]);
	if (bare)
		buf_add(out, text.p, text.len);
	else
		add_quoted(out, text);
}

/* Also fit for double quotes of a shell: what is not plain is a % code. */
static void add_url_part(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		if (means_nothing_to_a_shell(c) && c != '%' && c != '+' && c != '=')
			buf_addc(out, c);
		else
			buf_addf(out, "%%%02X", (unsigned char)c);
	}
}

/* A value as it stands in a URL or behind NAME=: a string without quotes, all else as JSON. */
static void plain_text(struct buf *out, const struct json *value)
{
	struct json_writer w;

	if (value->type == JSON_STRING) {
		buf_add(out, value->text.p, value->text.len);
		return;
	}
	json_write_init(&w, out);
	json_tree(&w, value, false);
}

static void add_url_value(struct buf *out, const struct json *value)
{
	AUTOBUF struct buf text;

	buf_init(&text, TEXT_MAX);
	plain_text(&text, value);
	add_url_part(out, buf_str(&text));
}

static bool takes_into(const struct op *op, struct str name)
{
	return op->example.into && str_is(name, op->example.into);
}

/* Each line that must come first; its last is an assignment where something is taken. */
static void add_first(struct buf *out, const struct op *op, void (*add_call)(struct buf *out, const struct op *op))
{
	struct op first;

	if (!example_first(op, &first))
		return;
	add_first(out, &first, add_call);
	if (op->example.take)
		buf_addf(out, "%s=$(", op->example.into);
	add_call(out, &first);
	if (op->example.take)
		buf_addf(out, " | jq -r .%s)\n", op->example.take);
	else
		buf_adds(out, " >/dev/null\n");
}

/* --- curl --- */

/* The one placeholder of a route; nothing where it has none. */
static struct str placeholder(const char *route)
{
	const char *open = route ? strchr(route, '{') : NULL;

	return open ? (struct str){ open + 1, strcspn(open + 1, "}") } : STR("");
}

/* The second path, where the example has what stands in it. */
static const char *route_of(const struct op *op, const struct json *args)
{
	struct str name = placeholder(op->also);

	for (const struct json *arg = name.len ? args->first : NULL; arg; arg = arg->next) {
		if (str_eq(arg->key, name))
			return op->also;
	}
	return op->path;
}

static void add_route(struct buf *out, const struct op *op, const struct json *args)
{
	for (const char *at = route_of(op, args); *at; at++) {
		struct str name = { at + 1, strcspn(at + 1, "}") };

		if (*at != '{') {
			buf_addc(out, *at);
			continue;
		}
		if (takes_into(op, name))
			buf_addf(out, "$%s", op->example.into);
		for (const struct json *arg = args->first; arg; arg = arg->next) {
			if (str_eq(arg->key, name))
				add_url_value(out, arg);
		}
		at += name.len + 1;
	}
}

static bool is_in_route(const struct op *op, const struct json *args, struct str name)
{
	return str_eq(name, placeholder(route_of(op, args)));
}

static void add_query(struct buf *out, const struct op *op, const struct json *args)
{
	char sign = '?';

	for (const struct json *arg = args->first; arg; arg = arg->next) {
		if (is_in_route(op, args, arg->key))
			continue;
		buf_addf(out, "%c" STR_FMT "=", sign, STR_ARG(arg->key));
		add_url_value(out, arg);
		sign = '&';
	}
	if (op->example.into && !is_in_route(op, args, str_of(op->example.into)))
		buf_addf(out, "%c%s=$%s", sign, op->example.into, op->example.into);
}

static bool sends_file(const struct op *op)
{
	return op->example.file && !gen_gives_bytes(op);
}

/* What is taken is written as $NAME, to be found again: within quotes where it is text. */
static void write_body(struct buf *body, const struct op *op, const struct json *args)
{
	const struct field *taken = op->example.into ? field_find(op->params, str_of(op->example.into)) : NULL;
	struct json_writer w;

	json_write_init(&w, body);
	json_object_begin(&w);
	for (const struct json *arg = args->first; arg; arg = arg->next) {
		if (is_in_route(op, args, arg->key))
			continue;
		json_key_str(&w, arg->key);
		json_tree(&w, arg, false);
	}
	if (taken && !is_in_route(op, args, str_of(taken->name))) {
		json_key(&w, taken->name);
		buf_addf(body, taken->type == FIELD_INTEGER ? "$%s" : "\"$%s\"", taken->name);
	}
	json_object_end(&w);
}

/* A variable of the shell stands between two quoted parts. */
static void add_body(struct buf *out, const struct op *op, const struct json *args)
{
	AUTOBUF struct buf body, name;
	const char *at = NULL;

	buf_init(&body, TEXT_MAX);
	buf_init(&name, TEXT_MAX);
	write_body(&body, op, args);
	if (op->example.into) {
		buf_addf(&name, "$%s", op->example.into);
		at = strstr(body.data, name.data);
	}
	if (!at) {
		add_quoted(out, buf_str(&body));
		return;
	}
	add_quoted(out, (struct str){ body.data, (size_t)(at - body.data) });
	buf_addf(out, "\"%s\"", name.data);
	add_quoted(out, str_of(at + name.len));
}

static bool has_body(const struct op *op, const struct json *args)
{
	if (strcmp(op->method, "GET") == 0 || strcmp(op->method, "DELETE") == 0 || sends_file(op))
		return false;
	for (const struct json *arg = args->first; arg; arg = arg->next) {
		if (!is_in_route(op, args, arg->key))
			return true;
	}
	return op->example.into && !is_in_route(op, args, str_of(op->example.into));
}

static void curl_call(struct buf *out, const struct op *op)
{
	struct arena arena CLEANUP(arena_free);
	const struct json *args;
	bool body;

	arena_init(&arena, ARENA_MAX);
	args = example_args(&arena, op);
	body = has_body(op, args);
	buf_addf(out, "curl -sS%s -H \"$auth\"", op->kind == OP_SSE ? "N" : "");
	/* curl says GET by itself, and POST where it sends something */
	if (strcmp(op->method, body || sends_file(op) ? "POST" : "GET") != 0)
		buf_addf(out, " -X %s", op->method);
	buf_adds(out, " \"$ABX_URL");
	add_route(out, op, args);
	if (!body)
		add_query(out, op, args);
	buf_addc(out, '"');
	if (body) {
		buf_adds(out, " \\\n  -H \"Content-Type: application/json\" -d ");
		add_body(out, op, args);
	}
	if (sends_file(op))
		buf_addf(out, " \\\n  -H \"Content-Type: application/octet-stream\" --data-binary @%s",
			op->example.file);
	if (gen_gives_bytes(op))
		buf_addf(out, " \\\n  -H \"Accept: %s\" -o %s", op->raw->media_type, op->example.file);
}

/* curl does not speak WebSocket: it shows that the server does. */
static void curl_socket(struct buf *out)
{
	buf_adds(out,
		" -i --max-time 1 \\\n  -H \"Connection: Upgrade\" -H \"Upgrade: websocket\" -H \"Sec-WebSocket-Version: 13\" "
		"\\\n  -H \"Sec-WebSocket-Key: $(head -c 16 /dev/urandom | base64)\"");
}

void example_curl(struct buf *out, const struct op *op)
{
	add_first(out, op, curl_call);
	curl_call(out, op);
	if (op->kind == OP_WS)
		curl_socket(out);
	buf_addc(out, '\n');
}

/* --- abx --- */

static void add_arg(struct buf *out, const struct json *arg, struct str name)
{
	AUTOBUF struct buf text;

	buf_init(&text, TEXT_MAX);
	buf_addf(&text, STR_FMT "=", STR_ARG(name));
	plain_text(&text, arg);
	buf_adds(out, " --arg ");
	add_word(out, buf_str(&text));
}

static void abx_server_call(struct buf *out, const struct op *op)
{
	struct arena arena CLEANUP(arena_free);
	bool json = op->raw && op->raw->response && !gen_gives_bytes(op);
	const struct json *args;

	arena_init(&arena, ARENA_MAX);
	args = example_args(&arena, op);
	buf_addf(out, "abx %sserver call %s", json ? "--json " : "", op->id);
	if (op->example.into)
		buf_addf(out, " --arg %s=\"$%s\"", op->example.into, op->example.into);
	for (const struct json *arg = args->first; arg; arg = arg->next) {
		if (arg->type != JSON_ARRAY)
			add_arg(out, arg, arg->key);
		for (const struct json *item = arg->type == JSON_ARRAY ? arg->first : NULL; item; item = item->next)
			add_arg(out, item, arg->key);
	}
	if (sends_file(op))
		buf_addf(out, " --file @%s", op->example.file);
}

static void abx_call(struct buf *out, const struct op *op)
{
	bool bytes = gen_gives_bytes(op);

	if (op->example.typed)
		buf_addf(out, "printf '%s' | ", op->example.typed);
	if (op->example.abx)
		buf_addf(out, "abx %s%s", bytes || op->kind == OP_WS ? "" : "--json ", op->example.abx);
	else
		abx_server_call(out, op);
	if (bytes)
		buf_addf(out, " >%s", op->example.file);
}

void example_abx(struct buf *out, const struct op *op)
{
	add_first(out, op, abx_call);
	abx_call(out, op);
	buf_addc(out, '\n');
}
