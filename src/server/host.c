/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What ops that look at the server itself are offered: the steps of a real call, without its
 * effect.
 */
#include "server/host.h"

#include "catalog/bind.h"
#include "server/paths.h"
#include "server/serve.h"

enum { PERMIT_ARENA_MAX = 1024 * 1024 };

/* The paths only: what else an op needs is not asked about. */
static int bind_paths_only(
	struct call *call, const struct op *op, const struct json *args, void *params, struct err *err)
{
	struct bind b;

	if (args && args->type != JSON_OBJECT)
		return err_set(err, ERR_ARGS_INVALID, "parameter 'args' must be an object, not %s",
			json_type_name(args->type));
	if (op->bind)
		return args ? op->bind(&call->arena, op, args, params, err) : 0;
	bind_begin(&b, &call->arena, op, params);
	return args ? bind_object(&b, args, err) : 0;
}

/* The op's own word, asked with a call that is never made. */
static int permit(const struct call *call, const struct op *op, void *params, struct err *err)
{
	struct call asked = {
		.op = op, .caller = call->caller, .ops = call->ops, .loop = call->loop, .in = params, .asked_by = call
	};
	int status;

	arena_init(&asked.arena, PERMIT_ARENA_MAX);
	status = op->permit(&asked);
	if (status < 0) {
		*err = asked.err;
		err->details = NULL; /* they are in the arena */
	}
	arena_free(&asked.arena);
	return status;
}

static int check(struct call *call, const struct op *op, const struct json *args, struct err *err)
{
	void *params = op->params_size ? arena_alloc(&call->arena, op->params_size) : NULL;
	int status;

	if (op->params_size && !params)
		return err_set(err, ERR_BUSY, "the check needs more memory than is left");
	if (op->scope && policy_check_op(call->caller, op, err) < 0)
		return -1;
	if (!op->params)
		return 0;
	status = bind_paths_only(call, op, args, params, err);
	if (status == 0)
		status = paths_resolve(&call->arena, call->caller, op->params, params, err);
	if (status == 0 && args && op->permit)
		status = permit(call, op, params, err);
	paths_close(op->params, params);
	return status;
}

const struct call_host server_host = {
	.check = check,
	.reload = serve_reload,
};
