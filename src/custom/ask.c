/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that a worker does: the call goes to it as a line, and its answer is the result.
 */
#include "custom/custom.h"
#include "custom/worker.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>

enum { TYPE_SIZE = 128 };

struct ask {
	struct call *call;
	struct worker_call worker_call;
	struct timer timeout;
	struct buf result; /* from the budget */
};

static void on_free(struct call *call)
{
	struct ask *ask = call->state;

	custom_of(call->op)->count->running--;
	timer_free(&ask->timeout);
	worker_call_done(&ask->worker_call);
	buf_free(&ask->result);
}

static void fail(struct ask *ask, const char *type, struct str message)
{
	struct custom_failure failure = { .type = type, .message = message };
	char text[TAIL_SIZE];

	timer_stop(&ask->timeout);
	failure.stderr_tail = worker_said(&ask->worker_call, text);
	custom_fail(ask->call, &failure);
	call_fail(ask->call);
}

static void on_failed(struct worker_call *c, const char *reason)
{
	fail(OWNER(c, struct ask, worker_call), "WorkerError", str_of(reason));
}

/* The error as the worker tells it. */
static void fail_by(struct ask *ask, const struct message *message)
{
	char type[TYPE_SIZE];
	struct str text = message->text.p ? message->text : STR("the command failed and says no more");

	snprintf(type, sizeof type, STR_FMT, (int)MIN(message->type.len, sizeof type - 1), message->type.p);
	fail(ask, type[0] ? type : NULL, text);
}

static void fail_for_memory(struct ask *ask)
{
	err_set(&ask->call->err, ERR_BUSY, "the result needs more memory than is left");
	call_fail(ask->call);
}

static void on_answer(struct worker_call *c, const struct message *message)
{
	struct ask *ask = OWNER(c, struct ask, worker_call);
	struct call *call = ask->call;
	struct custom_out out = { .lossy = false };
	struct json_writer w;

	timer_stop(&ask->timeout);
	if (!message) {
		fail_for_memory(ask);
		return;
	}
	if (!message->result) {
		fail_by(ask, message);
		return;
	}
	json_write_init(&w, &ask->result);
	json_tree(&w, message->result, false);
	if (buf_failed(&ask->result)) {
		fail_for_memory(ask);
	} else if (ask->result.len > (size_t)call_limit(call, "max_result_bytes")) {
		fail(ask, NULL, STR("its result is over max_result_bytes"));
	} else {
		out.result = buf_str(&ask->result);
		call_reply(call, &out);
	}
}

static void on_timeout(struct timer *t)
{
	struct ask *ask = OWNER(t, struct ask, timeout);
	char text[TAIL_SIZE];

	worker_leave(&ask->worker_call);
	custom_time_out(ask->call, custom_of(ask->call->op)->timeout_s, worker_said(&ask->worker_call, text));
	call_fail(ask->call);
}

static void on_gone(struct call *call)
{
	struct ask *ask = call->state;

	timer_stop(&ask->timeout);
	worker_leave(&ask->worker_call);
	err_set(&call->err, ERR_HTTP_BAD_REQUEST, "the caller left before the answer");
	call_fail(call);
}

void custom_ask(struct call *call)
{
	const struct custom *c = custom_of(call->op);
	struct ask *ask = call_new(call, struct ask);
	int status;

	if (!ask) {
		call_fail(call);
		return;
	}
	ask->call = call;
	ask->worker_call.on_answer = on_answer;
	ask->worker_call.on_failed = on_failed;
	buf_init_budgeted(&ask->result, SIZE_MAX / 2);
	call->state = ask;
	call->on_free = on_free;
	custom_of(call->op)->count->running++;
	status = worker_call(c->worker, &ask->worker_call, c->name, &c->args, call_in(call, struct custom_in)->args);
	if (status == -EAGAIN) {
		ask->worker_call.worker = c->worker;
		fail(ask, "WorkerError", str_of(worker_problem(c->worker)));
	} else if (status < 0) {
		err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
		call_fail(call);
	} else {
		call->on_gone = on_gone;
		if (c->timeout_s > 0)
			timer_start(&ask->timeout, call->loop, (int64_t)(c->timeout_s * (double)NS_PER_S), on_timeout);
	}
}
