/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/custom.h"

#include "base/utf8.h"
#include "catalog/write.h"
#include "custom/manifest.h"
#include "program/command.h"

#include <stdio.h>

enum {
	CALLS_MAX = 64,
	CALLS_CAP = 1024,
	RESULT_MAX = 8 * 1024 * 1024,
	MESSAGE_MAX = 400,        /* in the error's text */
	DETAIL_MAX = 8 * 1024,    /* and in its details, */
	DETAILS_MAX = 128 * 1024, /* which have room for all of it as JSON */
};

static const struct field result[] = {
	R_JSON(struct custom_out, result, "What the command answered."),
	R_FLAG(struct custom_out, lossy, "Bytes that are not UTF-8 were replaced."),
	FIELDS_END,
};

static const enum err_code errors[] = { ERR_CUSTOM_UNKNOWN, ERR_CUSTOM_FAILED, ERR_COMMANDS_TIMEOUT, ERR_NONE };

static const struct limit limits[] = {
	{ "max_calls", CALLS_MAX, CALLS_CAP, ERR_LIMIT_TOO_MANY, "Calls of the command under way at once." },
	{ "max_result_bytes", RESULT_MAX, RESULT_MAX, ERR_CUSTOM_FAILED, "Largest result." },
	{ .name = NULL },
};

const struct op custom_any = {
	.id = "custom.*",
	.endpoint = "run_command",
	.group = "commands",
	.scope = "commands:run",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/commands/{name}",
	.since = "0.1.0",
	.summary = "Run a command of the template's author.",
	.description = "",
	.effects = OP_RUNS | OP_READS | OP_WRITES,
	.result = result,
	.result_size = sizeof(struct custom_out),
	.errors = errors,
	.limits = limits,
	.is_dynamic = true,
};

static struct field row_of(const struct arg *arg)
{
	static const enum field_type types[] = { [ARG_STRING] = FIELD_STRING,
		[ARG_INTEGER] = FIELD_INTEGER,
		[ARG_FLOAT] = FIELD_NUMBER,
		[ARG_BOOLEAN] = FIELD_BOOLEAN,
		[ARG_ARRAY] = FIELD_ARRAY,
		[ARG_OBJECT] = FIELD_OBJECT };
	bool may_be_null = !arg->required && !arg->def_json;

	return (struct field){ .name = arg->name,
		.type = types[arg->type],
		.flags = F_EMPTY_OK | (arg->required ? F_REQUIRED : 0) | (may_be_null ? F_NULLABLE : 0),
		.optional_type = true, /* no default but this one */
		.def_json = arg->def_json,
		.minimum = arg->type == ARG_INTEGER ? -((INT64_C(1) << 53) - 1) : 0,
		.maximum = INT64_MAX,
		.item_type = arg->type == ARG_ARRAY ? FIELD_ANY : FIELD_NONE,
		.text = arg->description };
}

static const struct field *rows_of(const struct args *args, struct hold *hold)
{
	struct field *rows = hold_array(hold, struct field, args->count + 1);

	for (size_t i = 0; i < args->count; i++)
		rows[i] = row_of(&args->items[i]);
	return rows; /* the last one is FIELD_NONE */
}

/* What goes into a program's arguments must not be cut by a NUL (R60). */
static int check_nul(const struct custom *c, const struct json *given, struct err *err)
{
	const struct template *templates = c->manifest->run.items;

	for (size_t i = 0; i < c->manifest->run.count; i++) {
		for (const struct template_piece *piece = templates[i].pieces; piece->arg; piece++) {
			if (str_has(arg_text(args_find(&c->args, str_of(piece->arg)), given), '\0'))
				return err_set(
					err, ERR_ARGS_INVALID, "%s: '%s' must not hold NUL", c->op.id, piece->arg);
		}
	}
	return 0;
}

static int bind_object(
	struct arena *arena, const struct op *op, const struct json *object, void *params, struct err *err)
{
	static const struct json nothing = { .type = JSON_OBJECT };
	const struct custom *c = custom_of(op);
	struct custom_in *in = params;

	in->args = object ? object : &nothing;
	if (args_check(arena, &c->args, op->id, in->args, err) < 0)
		return -1;
	return c->worker ? 0 : check_nul(c, in->args, err);
}

static void start(struct call *call)
{
	struct custom *c = custom_of(call->op);

	if (c->count->running >= call_limit(call, "max_calls")) {
		err_set(&call->err, ERR_LIMIT_TOO_MANY, "as many calls of '%s' as allowed are under way: try again",
			c->name);
		call_fail(call);
	} else if (c->worker) {
		custom_ask(call);
	} else {
		custom_run(call);
	}
}

void custom_make_op(struct custom *c, struct hold *hold)
{
	struct str rest = str_of(c->description), first = str_trim(str_cut(&rest, '\n'));

	c->op = custom_any;
	c->op.id = hold_printf(hold, "custom.%s", c->name);
	c->op.path = hold_printf(hold, "/commands/%s", c->name);
	c->op.summary = first.len ? hold_text(hold, first) : hold_printf(hold, "Run the command %s.", c->name);
	c->op.description = c->description;
	c->op.params = rows_of(&c->args, hold);
	c->op.params_size = sizeof(struct custom_in);
	c->op.bind = bind_object;
	c->op.start = start;
}

struct details {
	const char *command, *type, *signal;
	struct str message, stderr_tail;
	struct opt_int exit_code;
	struct opt_num timeout;
};

static const struct field detail_rows[] = {
	R_STRING(struct details, command, "Its name."),
	R_OPT_STRING(struct details, type, "What kind of failure, in the command's own words."),
	R_OPT_TEXT(struct details, message, "What it said."),
	FIELD_ROW_AS(struct details, stderr_tail, "stderr", struct str, FIELD_TEXT,
		"The last that it wrote to standard error since the call began.", .flags = F_REQUIRED),
	R_OPT_INT(struct details, exit_code, "Its exit code; 128 and N when signal N ended it."),
	R_OPT_STRING(struct details, signal, "The signal that ended it."),
	R_OPT_NUM(struct details, timeout, "Seconds that it had."),
	FIELDS_END,
};

static void add_details(struct call *call, const struct details *details)
{
	AUTOBUF struct buf text;
	struct json_writer w;

	buf_init(&text, DETAILS_MAX);
	json_write_init(&w, &text);
	write_json(&w, detail_rows, details);
	if (!buf_failed(&text))
		call->err.details = arena_strndup(&call->arena, text.data, text.len);
}

void custom_fail(struct call *call, const struct custom_failure *failure)
{
	const char *type = failure->type ? arena_strdup(&call->arena, failure->type) : NULL;
	char signal[16];
	struct details details = { .command = custom_of(call->op)->name,
		.type = type ? type : err_info(ERR_CUSTOM_FAILED)->type,
		.message = { failure->message.p, utf8_cut(failure->message, DETAIL_MAX) },
		.stderr_tail = failure->stderr_tail,
		.exit_code = { failure->exited, failure->exit_code },
		.signal = command_signal_name(failure->signal, signal) };

	err_set(&call->err, ERR_CUSTOM_FAILED, "%s failed: %s%s" STR_FMT, call->op->id, type ? type : "",
		type ? ": " : "", (int)MIN(failure->message.len, (size_t)MESSAGE_MAX), failure->message.p);
	call->err.type = type;
	add_details(call, &details);
}

void custom_time_out(struct call *call, double timeout_s, struct str stderr_tail)
{
	struct details details = {
		.command = custom_of(call->op)->name, .stderr_tail = stderr_tail, .timeout = { true, timeout_s }
	};

	err_set(&call->err, ERR_COMMANDS_TIMEOUT, "%s did not answer within %g seconds", call->op->id, timeout_s);
	add_details(call, &details);
}
