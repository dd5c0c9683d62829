/* SPDX-License-Identifier: Apache-2.0 */
#include "call/call.h"

#include "call/port.h"
#include "catalog/write.h"
#include "policy/policy.h"
#include "wire/sse.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

const struct call_host *call_host;

const struct field call_error_fields[] = {
	R_STRING(struct call_error, error, "What went wrong."),
	R_STRING(struct call_error, wire_code, "The error's dotted code."),
	R_STRING(struct call_error, code, "The error's flat v1 code."),
	R_STRING(struct call_error, type, "The error's type."),
	FIELDS_END,
};

static void finish(struct call *call)
{
	assert(!call->finished);
	call->finished = true;
}

void call_reply(struct call *call, const void *out)
{
	finish(call);
	call->port->reply(call, out);
}

void call_fail(struct call *call)
{
	finish(call);
	call->port->fail(call, NULL);
}

void call_fail_with_result(struct call *call, const void *out)
{
	finish(call);
	call->port->fail(call, out);
}

void call_stream(struct call *call, struct source *source)
{
	finish(call);
	call->port->stream(call, source);
}

void call_send(struct call *call, const struct raw_reply *head, struct source *source)
{
	finish(call);
	call->port->send(call, head, source);
}

void call_wake(struct call *call)
{
	call->port->wake(call);
}

void call_event(struct call *call, struct buf *out, unsigned index, const void *fields, const char *id)
{
	const struct event *event = &call->op->events[index];
	struct json_writer w;

	sse_begin(out, event->name, id);
	json_write_init(&w, out);
	write_json(&w, event->fields, fields);
	sse_end(out);
}

void call_event_error(struct call *call, struct buf *out, unsigned index)
{
	const struct err_info *info = err_info(call->err.code);
	struct call_error fields = { call->err.text, info->wire_code, info->code, info->type };

	call_event(call, out, index, &fields, NULL);
}

void call_body(struct call *call, char *to, size_t len, call_body_fn *fn)
{
	call->port->body(call, to, len, fn);
}

int call_job(struct call *call, struct job *job, enum lane lane, job_fn *work, job_fn *done)
{
	*job = (struct job){ .work = work, .done = done, .lane = lane };
	job->user = op_has_paths(call->op) ? policy_file_user(principal_policy(call->caller)) : NULL;
	if (job_start(job, call->loop) < 0)
		return err_set(
			&call->err, ERR_LIMIT_TOO_MANY, "as many jobs as the server takes are waiting: try again");
	return 0;
}

bool call_stopped(const struct call *call)
{
	return job_stopped(&(call->asked_by ? call->asked_by : call)->job);
}

int64_t call_limit(const struct call *call, const char *name)
{
	return policy_limit(call->caller, call->op, name);
}

int call_over_limit(const struct call *call, const char *name, struct err *err, const char *fmt, ...)
{
	char rule[ERR_RULE_MAX], text[ERR_TEXT_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	policy_limit_rule(call->caller, call->op, name, rule);
	return err_deny(err, op_limit(call->op, name)->code, rule, "%s", text);
}

void *call_alloc(struct call *call, size_t size)
{
	void *p = arena_alloc(&call->arena, size);

	if (!p)
		err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
	return p;
}
