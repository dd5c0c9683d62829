/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.check: whether a call would be allowed, without making it.
 *
 * The host runs the steps of a real call up to its effect, so the answer cannot differ from
 * the call's own.
 */
#include "custom/commands.h"

struct check {
	const char *op, *endpoint, *path;
	struct list paths;
	const struct json *args;
};

/* Either one check, or a list of them. */
struct in {
	const char *op, *endpoint, *path;
	struct list paths;
	const struct json *args;
	struct list checks;
};

struct verdict {
	bool allowed;
	const char *op, *rule, *wire_code, *reason;
};

struct out {
	bool allowed;
	const char *op, *rule, *wire_code, *reason;
	struct list results;
};

#define CHECK_ROWS(S) \
	P_STRING(S, op, 0, "Id of the op."), P_STRING(S, endpoint, 0, "The op by its endpoint id."), \
		P_STRING(S, path, 0, "A path to check against the op's first path parameter."), \
		P_STRINGS(S, paths, 0, "Several paths, all of which must be allowed."), \
		P_ANY(S, args, 0, "All arguments of the call.")

static const struct field check_rows[] = {
	CHECK_ROWS(struct check),
	FIELDS_END,
};

static const struct field params[] = {
	CHECK_ROWS(struct in),
	P_OBJECTS(struct in, checks, struct check, "Check", check_rows, 0, "Several checks in one call."),
	FIELDS_END,
};

static const struct one_of one_of[] = { { .names = { "op", "endpoint", "checks" } }, { .names = { NULL } } };

#define VERDICT_ROWS(S) \
	R_BOOL(S, allowed, "Whether the call would be let through; with 'checks', whether all would."), \
		R_OPT_STRING(S, op, "The op's id."), R_OPT_STRING(S, rule, "The line of the policy that decided."), \
		R_OPT_STRING(S, wire_code, "The error that the call would get."), \
		R_OPT_STRING(S, reason, "The same in words.")

static const struct field verdict_rows[] = {
	VERDICT_ROWS(struct verdict),
	FIELDS_END,
};

static const struct field result[] = {
	VERDICT_ROWS(struct out),
	R_OPT_OBJECTS(
		struct out, results, struct verdict, "Verdict", verdict_rows, "One verdict for each of 'checks'."),
	FIELDS_END,
};

static struct json *text_node(struct call *call, const char *key, struct str text)
{
	struct json *node = call_new(call, struct json);

	if (node)
		*node = (struct json){ .type = JSON_STRING, .key = str_of(key), .text = text };
	return node;
}

static const struct field *first_path(const struct op *op)
{
	for (const struct field *field = op->params; field && field->type != FIELD_NONE; field++) {
		if (field->type == FIELD_PATH || field->item_type == FIELD_PATH)
			return field;
	}
	return NULL;
}

/* One path as the arguments of a call. */
static int check_path(struct call *call, const struct op *op, const char *path, struct err *err)
{
	const struct field *field = first_path(op);
	struct json args = { .type = JSON_OBJECT, .count = 1 }, list = { .type = JSON_ARRAY, .count = 1 };
	struct json *node;

	if (!field)
		return err_set(err, ERR_ARGS_INVALID, "%s takes no path", op->id);
	node = text_node(call, field->name, str_of(path));
	if (!node)
		return -1;
	if (field->type == FIELD_ARRAY) {
		list.key = str_of(field->name);
		list.first = node;
		node = &list;
	}
	args.first = node;
	return call_host->check(call, op, &args, err);
}

static int check_all(struct call *call, const struct op *op, const struct check *check, struct err *err)
{
	const char *const *paths = check->paths.items;

	if (call_host->check(call, op, check->args, err) < 0)
		return -1;
	if (check->path && check_path(call, op, check->path, err) < 0)
		return -1;
	for (size_t i = 0; i < check->paths.count; i++) {
		if (check_path(call, op, paths[i], err) < 0)
			return -1;
	}
	return 0;
}

/* What stands in no list: the template author's commands by their endpoint id, and one that is not there. */
static int check_unlisted(struct call *call, const char *name, struct err *err)
{
	if (strcmp(name, custom_any.endpoint) == 0)
		return call_host->check(call, &custom_any, NULL, err);
	if (!str_starts(str_of(name), "custom."))
		return err_set(err, ERR_OP_UNKNOWN, "no op has the id '%s'", name);
	if (call_host->check(call, &custom_any, NULL, err) < 0)
		return -1;
	return commands_refuse(call, str_of(name), &call->arena, err);
}

static int judge(struct call *call, const struct check *check, struct verdict *verdict)
{
	const char *name = check->op ? check->op : check->endpoint;
	const struct op *op = name ? op_find_in(call->ops, str_of(name)) : NULL;
	struct err err;

	if (!name)
		return err_set(&call->err, ERR_ARGS_MISSING, "each of 'checks' needs 'op' or 'endpoint'");
	*verdict = (struct verdict){ .allowed = true, .op = op ? op->id : name };
	if ((op ? check_all(call, op, check, &err) : check_unlisted(call, name, &err)) == 0)
		return 0;
	verdict->allowed = false;
	verdict->wire_code = err_info(err.code)->wire_code;
	verdict->reason = arena_strdup(&call->arena, err.text);
	verdict->rule = err.rule[0] ? arena_strdup(&call->arena, err.rule) : NULL;
	return verdict->reason ? 0 : err_set(&call->err, ERR_BUSY, "the check needs more memory than is left");
}

static int judge_one(struct call *call, const struct in *in, struct out *out)
{
	struct check check = { in->op, in->endpoint, in->path, in->paths, in->args };
	struct verdict verdict;

	if (judge(call, &check, &verdict) < 0)
		return -1;
	*out = (struct out){ verdict.allowed, verdict.op, verdict.rule, verdict.wire_code, verdict.reason,
		{ NULL, 0 } };
	return 0;
}

static int work(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	const struct check *checks = in->checks.items;
	struct verdict *verdicts;

	if (!checks)
		return judge_one(call, in, out);
	verdicts = call_alloc(call, (in->checks.count + 1) * sizeof *verdicts);
	if (!verdicts)
		return -1;
	out->allowed = true;
	out->results = (struct list){ verdicts, in->checks.count };
	for (size_t i = 0; i < in->checks.count; i++) {
		if (judge(call, &checks[i], &verdicts[i]) < 0)
			return -1;
		out->allowed &= verdicts[i].allowed;
	}
	return 0;
}

const struct op op_core_check = {
	.id = "core.check",
	.endpoint = "capabilities_check",
	.group = "core",
	.scope = "core:read",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/capabilities/check",
	.since = "0.1.0",
	.summary = "Tell whether a call would be allowed.",
	.description =
		"Goes through the same steps as the call itself, without its effect. With 'args' all parameters are "
		"checked, with 'path' or 'paths' only those; with 'checks' several calls at once. What only the moment of the call "
		"decides is not asked: what is there, and limits that are used up.",
	.example = { .args = JSON_TEXT({ "op" : "files.read", "path" : "demo/notes.txt" }) },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = params,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = result,
	.result_size = sizeof(struct out),
	.lane = OP_LANE_LONG, /* folders may have to be looked through */
	.waits = true,
	.work = work,
};
