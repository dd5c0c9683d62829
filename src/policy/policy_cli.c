/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy_cli.h"

#include "policy/ops_later.h"
#include "policy/place.h"
#include "policy/policy_file.h"
#include "policy/policy_internal.h"
#include "policy/scope.h"

#include <unistd.h>

enum { ARENA_BYTES = 1 << 20, ALLOWED = 0, CANNOT_TELL = 2, DENIED = 4 };

static void cleanup_policy(struct policy **p)
{
	policy_unref(*p);
}

/* Groups whose ops start programs that the caller chooses. */
static bool runs_programs(const struct policy *p)
{
	return policy_group_enabled(p, "process") || policy_group_enabled(p, "terminal") ||
	       policy_group_enabled(p, "dev_tools");
}

static bool may_run(const struct principal *who)
{
	struct err err;

	for (const struct op *const *op = ops_all; *op; op++) {
		/* Those of a reading scope run programs of their own choice. */
		if (((*op)->effects & OP_RUNS) && !scope_matches("*:read", (*op)->scope) &&
			policy_check_op(who, *op, &err) == 0)
			return true;
	}
	return false;
}

static bool is_narrowed(const struct principal *who)
{
	const struct token_config *token = who->token;

	return token &&
	       (strcmp(token->scopes[0] ? token->scopes[0] : "", "*") != 0 || token->ops.count || who->own_roots);
}

/* Landlock knows no exceptions below what it allows.  `whose` is what stands in front of the key. */
static void warn_of_paths(
	const struct policy *p, const struct paths_config *paths, const char *whose, const char *file, FILE *to)
{
	char key[ERR_RULE_MAX];

	if (paths->deny && paths->deny[0]) {
		snprintf(key, sizeof key, "%spaths.deny", whose);
		fprintf(to, "%s:%zu: warning: %s holds for file ops; programs are not held to it\n", file,
			policy_file_line(p->config, key), key);
	}
	if (paths->readonly && paths->readonly[0]) {
		snprintf(key, sizeof key, "%spaths.readonly", whose);
		fprintf(to, "%s:%zu: warning: %s holds for file ops; programs are not held to it%s\n", file,
			policy_file_line(p->config, key), key,
			p->config->process.confine ? ", but where it is a root as a whole" : "");
	}
}

/* R93: what the file promises and programs can walk around. */
static void warn(const struct policy *p, const char *file, FILE *to)
{
	for (size_t i = 0; i < p->principal_count; i++) {
		const struct principal *who = &p->principals[i];

		if (is_narrowed(who) && may_run(who) && !policy_user(p, NULL) && !p->config->process.confine)
			fprintf(to,
				"%s:%zu: warning: '%s' may run programs, which are not confined and have the server's user: "
				"such a token is as strong as the server\n",
				file, who->token->line, who->name);
	}
	if (runs_programs(p))
		warn_of_paths(p, &p->config->paths, "", file, to);
	for (size_t i = 0; i < p->principal_count; i++) {
		const struct principal *who = &p->principals[i];
		char whose[ERR_RULE_MAX];

		snprintf(whose, sizeof whose, "tokens.%s.", who->name);
		if (who->token && may_run(who))
			warn_of_paths(p, &who->token->paths, whose, file, to);
	}
}

static bool names_scope(const struct token_config *token, const char *scope)
{
	for (texts one = token->scopes; *one; one++) {
		if (strcmp(*one, scope) == 0)
			return true;
	}
	return false;
}

/* Two names that are easily taken for each other. */
static void explain_scopes(const struct policy *p, const char *file, FILE *to)
{
	const struct token_config *tokens = p->config->tokens.items;
	bool runs_commands = false, runs_shell = false;

	for (size_t i = 0; i < p->config->tokens.count; i++) {
		runs_commands |= names_scope(&tokens[i], "commands:run");
		runs_shell |= names_scope(&tokens[i], "process:run");
	}
	if (runs_commands && runs_shell)
		fprintf(to,
			"%s:%zu: note: 'commands:run' is for the commands of the template's author (custom.*), "
			"'process:run' for the shell and any program (commands.run)\n",
			file, policy_file_line(p->config, "tokens"));
}

int policy_cli_check(const char *file, policy_cli_more_fn *more, FILE *out, FILE *err_out)
{
	struct err err = { 0 };
	CLEANUP(cleanup_policy) struct policy *p = policy_new(&(struct policy_settings){ .file = file }, &err);

	if (!p || (more && more(p, &err) < 0)) {
		fprintf(err_out, "%s\n", err.text);
		return 1;
	}
	warn(p, file, err_out);
	explain_scopes(p, file, err_out);
	fprintf(out, "%s: ok\n", file);
	return 0;
}

static int say(const struct policy *p, const char *op, const struct err *err, FILE *out)
{
	const char *key = err->rule + (str_starts(str_of(err->rule), "policy:") ? strlen("policy:") : 0);
	size_t line = policy_file_line(p->config, err->rule);

	fprintf(out, "%s: denied: %s (%s)\n", op, err->text, err_info(err->code)->wire_code);
	if (line)
		fprintf(out, "%s:%zu: %s\n", p->config->file, line, key);
	else if (err->rule[0])
		fprintf(out, "%s (not in the file: its default)\n", key);
	return DENIED;
}

/* The path as each of the op's path parameters would take it. */
static int check_path(const struct principal *who, const struct op *op, const char *path, struct err *err)
{
	struct arena arena;
	int status = 0;

	arena_init(&arena, ARENA_BYTES);
	for (const struct field *field = op->params; field && field->type != FIELD_NONE && status == 0; field++) {
		struct place *place;

		if ((field->type != FIELD_PATH && field->item_type != FIELD_PATH) || field->flags & F_UNRESOLVED)
			continue;
		place = place_resolve(&arena, who, str_of(path), field->flags, err);
		status = place ? 0 : -1;
		place_close(place);
	}
	arena_free(&arena);
	return status;
}

static bool takes_path(const struct op *op)
{
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (field->type == FIELD_PATH || field->item_type == FIELD_PATH)
			return true;
	}
	return false;
}

static int explain(
	const struct policy *p, const char *token, const struct op *op, const char *path, FILE *out, FILE *err_out)
{
	struct err err = { 0 };
	const struct principal *who = policy_principal(p, token ? token : "local");

	if (!who && token) {
		fprintf(err_out, "no token '%s' in %s\n", token, p->config->file);
		return CANNOT_TELL;
	}
	if (!who && op->scope) {
		err_set(&err, ERR_AUTH_MISSING, "a token is needed");
		return say(p, op->id, &err, out);
	}
	if (who && (policy_check_expiry(who, &err) < 0 || policy_check_op(who, op, &err) < 0))
		return say(p, op->id, &err, out);
	if (who && path && check_path(who, op, path, &err) < 0)
		return say(p, op->id, &err, out);
	fprintf(out, "%s: allowed\n", op->id);
	return ALLOWED;
}

static int say_unknown(const char *op_name, FILE *err_out)
{
	const char *nearest = NULL;

	ops_later_id(op_name, &nearest);
	fprintf(err_out, "no op '%s' in this build%s%s%s\n", op_name, nearest ? ", did you mean '" : "",
		nearest ? nearest : "", nearest ? "'?" : "");
	return CANNOT_TELL;
}

int policy_cli_explain(
	const char *file, const char *token, const char *op_name, const char *path, FILE *out, FILE *err_out)
{
	struct err err = { 0 };
	CLEANUP(cleanup_policy) struct policy *p = policy_new(&(struct policy_settings){ .file = file }, &err);
	/* A command of the template's author: it need not be there to be judged. */
	const struct op command = { .id = op_name, .group = "commands", .scope = "commands:run", .is_dynamic = true };
	bool is_command = str_starts(str_of(op_name), "custom.") && !op_find(str_of(op_name));
	const struct op *op = is_command ? &command : op_find(str_of(op_name));

	if (!p) {
		fprintf(err_out, "%s\n", err.text);
		return CANNOT_TELL;
	}
	if (!op)
		return say_unknown(op_name, err_out);
	if (path && !takes_path(op)) {
		fprintf(err_out, "'%s' takes no path\n", op->id);
		return CANNOT_TELL;
	}
	return explain(p, token, op, path, out, err_out);
}
