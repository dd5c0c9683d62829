/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/problem.h"

#include "base/json.h"
#include "cli/term.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_MAX_BYTES = 32 * 1024, ERROR_TREE_MAX = 8 << 20 };

/* The first match counts; a code that ends with '.' stands for all that begin with it. */
static const struct {
	const char *wire_code;
	int exit_code;
} exits[] = {
	{ "auth.", EXIT_AUTH },
	{ "policy.", EXIT_POLICY },
	{ "op.not_enabled", EXIT_POLICY },
	{ "op.unknown", EXIT_NOT_FOUND },
	{ "custom.unknown_command", EXIT_NOT_FOUND },
	{ "files.not_found", EXIT_NOT_FOUND },
	{ "process.not_found", EXIT_NOT_FOUND },
	{ "terminal.not_found", EXIT_NOT_FOUND },
	{ "browser.not_found", EXIT_NOT_FOUND },
	{ "args.", EXIT_USAGE },
	{ "limit.", EXIT_TRY_AGAIN },
	{ "install.", EXIT_TRY_AGAIN },
	{ "server.", EXIT_TRY_AGAIN },
	{ "commands.timeout", EXIT_TIMEOUT },
	{ "browser.timeout", EXIT_TIMEOUT },
	{ "http.timeout", EXIT_TIMEOUT },
};

static const struct {
	const char *wire_code, *text;
} hints[] = {
	{ "auth.missing_credentials", "give one with --token, ABX_SERVER_TOKEN or a context" },
	{ "auth.invalid_token", "see --token, ABX_SERVER_TOKEN or the context" },
	{ "op.not_enabled", "'abx server ops' lists what may be called" },
	{ "op.unknown", "'abx server ops' lists what may be called" },
	{ "auth.token_expired", "a new one is needed" },
	{ "server.busy", "try again" },
	{ "server.shutting_down", "try again" },
	{ "limit.too_many", "try again" },
	{ "limit.rate", "try again" },
};

static bool matches(struct str wire_code, const char *pattern)
{
	size_t len = strlen(pattern);

	return pattern[len - 1] == '.' ? str_starts(wire_code, pattern) : str_is(wire_code, pattern);
}

int problem_exit_of(struct str wire_code)
{
	for (size_t i = 0; i < ARRAY_LEN(exits); i++) {
		if (matches(wire_code, exits[i].wire_code))
			return exits[i].exit_code;
	}
	return EXIT_OTHER;
}

int problem_exit_of_run(int exit_code)
{
	return exit_code == EXIT_TIMEOUT || exit_code == EXIT_INTERRUPTED ? exit_code : EXIT_OURS;
}

void problem_clear(struct problem *p)
{
	*p = (struct problem){ .own_exit_code = -1 };
}

int problem_set(struct problem *p, int exit_code, const char *fmt, ...)
{
	va_list args;

	problem_clear(p);
	p->exit_code = exit_code;
	va_start(args, fmt);
	vsnprintf(p->text, sizeof p->text, fmt, args);
	va_end(args);
	return -1;
}

int problem_errno(struct problem *p, int sys_errno, const char *fmt, ...)
{
	const char *reason = strerrordesc_np(sys_errno);
	va_list args;
	size_t len;

	problem_clear(p);
	p->exit_code = sys_errno == EINTR ? EXIT_INTERRUPTED : EXIT_OTHER;
	va_start(args, fmt);
	vsnprintf(p->text, sizeof p->text, fmt, args);
	va_end(args);
	len = strlen(p->text);
	snprintf(p->text + len, sizeof p->text - len, ": %s", reason ? reason : "unknown error");
	return -1;
}

static void copy(char *to, size_t size, struct str from)
{
	size_t len = MIN(from.len, size - 1);

	if (len)
		memcpy(to, from.p, len);
	to[len] = '\0';
}

static struct str text_of(const struct json *object, const char *key)
{
	const struct json *value = json_get(object, key);

	return value && value->type == JSON_STRING ? value->text : (struct str){ 0 };
}

static void copy_failure(struct problem *p, const struct json *details)
{
	const struct json *code = json_get(details, "exit_code");

	copy(p->said, sizeof p->said, text_of(details, "stderr"));
	if (code && code->is_integer && code->integer >= 0 && code->integer <= UINT8_MAX)
		p->own_exit_code = (int)code->integer;
}

bool problem_from_json(struct problem *p, const char *op, const struct json *error)
{
	struct str named = text_of(error, "op"), text = text_of(error, "error");

	if (text.len == 0)
		return false;
	problem_clear(p);
	copy(p->op, sizeof p->op, named.len ? named : str_of(op));
	copy(p->wire_code, sizeof p->wire_code, text_of(error, "wire_code"));
	copy(p->text, sizeof p->text, text);
	copy(p->rule, sizeof p->rule, text_of(error, "rule"));
	copy(p->request_id, sizeof p->request_id, text_of(error, "request_id"));
	p->exit_code = problem_exit_of(str_of(p->wire_code));
	if (strcmp(p->wire_code, "custom.failed") == 0)
		copy_failure(p, json_get(error, "details"));
	return true;
}

int problem_from_reply(struct problem *p, const char *op, int status, struct str request_id, struct buf *body)
{
	struct arena arena;
	struct json *value = NULL;
	struct json_error where;

	arena_init(&arena, ERROR_TREE_MAX);
	if (body->len == 0 || json_parse(&arena, body->data, body->len, &value, &where) < 0 ||
		!problem_from_json(p, op, value)) {
		/* Not ours: a gateway in between, or another kind of server. */
		problem_set(p, EXIT_OTHER, "the answer is HTTP status %d and no error of an agent-sandbox-server%s",
			status, status == 502 || status == 504 || status == 524 ? "; a gateway gave up waiting" : "");
		copy(p->op, sizeof p->op, str_of(op));
	}
	if (p->request_id[0] == '\0')
		copy(p->request_id, sizeof p->request_id, request_id);
	arena_free(&arena);
	return -1;
}

void problem_format(const struct problem *p, struct buf *to)
{
	buf_adds(to, "abx: ");
	if (p->op[0]) {
		term_escape(to, str_of(p->op));
		buf_adds(to, ": ");
	}
	term_escape(to, str_of(p->text));
	if (p->rule[0]) {
		buf_adds(to, " (");
		term_escape(to, str_of(p->rule));
		buf_addc(to, ')');
	}
	for (size_t i = 0; i < ARRAY_LEN(hints); i++) {
		if (strcmp(hints[i].wire_code, p->wire_code) == 0)
			buf_addf(to, "; %s", hints[i].text);
	}
	if (p->request_id[0]) {
		buf_adds(to, " [request ");
		term_escape(to, str_of(p->request_id));
		buf_addc(to, ']');
	}
	buf_addc(to, '\n');
}

void problem_print(const struct problem *p, FILE *to)
{
	AUTOBUF struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	if (p->exit_code == EXIT_INTERRUPTED || p->exit_code == EXIT_PIPE)
		return;
	problem_format(p, &line);
	term_progress_clear();
	fwrite(line.data, 1, line.len, to);
}
