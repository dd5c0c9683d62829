/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom.list: the commands of the template's author that the caller may run.
 *
 * Hidden ones are left out and can be run all the same.  It runs on the loop, where the workers
 * are, whose state it tells.
 */
#include "custom/commands.h"
#include "policy/policy.h"

struct arg_out {
	const char *name, *type, *description;
	bool required;
	struct str def;
};

struct command_out {
	const char *name, *description;
	struct list args;
};

struct worker_out {
	const char *manifest, *state, *problem;
};

struct out {
	struct list commands, workers;
};

static const struct field arg_rows[] = {
	R_STRING(struct arg_out, name, "Its name."),
	R_STRING(struct arg_out, type, "string, integer, float, boolean, array or object."),
	R_BOOL(struct arg_out, required, "Whether it must be given."),
	FIELD_ROW_AS(struct arg_out, def, "default", struct str, FIELD_ANY, "Its value when it is not given.",
		.raw_json = true),
	R_STRING(struct arg_out, description, "What it is."),
	FIELDS_END,
};

static const struct field command_rows[] = {
	R_STRING(struct command_out, name, "Its name: the op is custom.NAME."),
	R_STRING(struct command_out, description, "What it does."),
	R_OBJECTS(
		struct command_out, args, struct arg_out, "ServerCommandArg", arg_rows, "The arguments that it takes."),
	FIELDS_END,
};

static const struct field worker_rows[] = {
	R_STRING(struct worker_out, manifest, "The file that it is from."),
	R_STRING(struct worker_out, state, "starting, ready or restarting."),
	R_OPT_STRING(struct worker_out, problem, "What was wrong when it last ended or would not start."),
	FIELDS_END,
};

static const struct field result[] = {
	R_OBJECTS(struct out, commands, struct command_out, "ServerCommand", command_rows, "The commands."),
	R_OPT_OBJECTS(struct out, workers, struct worker_out, "ServerWorker", worker_rows,
		"The programs behind some of them, where there are such."),
	FIELDS_END,
};

static int list_args(struct call *call, const struct args *args, struct list *to)
{
	struct arg_out *items = call_alloc(call, sizeof *items * (args->count + 1));

	for (size_t i = 0; items && i < args->count; i++) {
		const struct arg *arg = &args->items[i];

		items[i] = (struct arg_out){ arg->name, arg_types[arg->type], arg->description, arg->required,
			str_of(arg->def_json) };
	}
	*to = (struct list){ items, args->count };
	return items ? 0 : -1;
}

static bool is_shown(const struct call *call, const struct op *op)
{
	char rule[ERR_RULE_MAX];

	/* Who may list and not run sees them all the same. */
	return op->is_dynamic && !custom_of(op)->hidden && policy_op_enabled(principal_policy(call->caller), op, rule);
}

static int list_commands(struct call *call, struct list *to)
{
	struct command_out *items;
	size_t count = 0;

	for (const struct op *const *op = call->ops; *op; op++)
		count += (*op)->is_dynamic;
	items = call_alloc(call, sizeof *items * (count + 1));
	if (!items)
		return -1;
	*to = (struct list){ items, 0 };
	for (const struct op *const *op = call->ops; *op; op++) {
		const struct custom *c = custom_of(*op);
		struct command_out *item = &items[to->count];

		if (!is_shown(call, *op))
			continue;
		*item = (struct command_out){ c->name, c->description, { NULL, 0 } };
		if (list_args(call, &c->args, &item->args) < 0)
			return -1;
		to->count++;
	}
	return 0;
}

static int list_workers(struct call *call, struct list *to)
{
	struct worker_out *items;
	size_t count = 0;

	while (commands_worker(count))
		count++;
	items = call_alloc(call, sizeof *items * (count + 1));
	for (size_t i = 0; items && i < count; i++) {
		const struct worker *w = commands_worker(i);

		items[i] = (struct worker_out){ worker_manifest(w)->file, worker_states[worker_state(w)],
			commands_problem(w, &call->arena) };
	}
	*to = (struct list){ count ? items : NULL, count };
	return items ? 0 : -1;
}

static void start(struct call *call)
{
	struct out out;

	if (list_commands(call, &out.commands) < 0 || list_workers(call, &out.workers) < 0)
		call_fail(call);
	else
		call_reply(call, &out);
}

const struct op op_custom_list = {
	.id = "custom.list",
	.endpoint = "list_commands",
	.group = "commands",
	.scope = "commands:list",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/commands",
	.since = "0.1.0",
	.summary = "List the commands of the template's author.",
	.description =
		"Each is an op of its own, custom.NAME, which POST /commands/NAME and POST /ops/custom.NAME run.",
	.example = { .args = JSON_TEXT({}) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
