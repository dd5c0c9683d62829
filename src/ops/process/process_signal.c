/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.signal: send a signal to a process, or to it and all that it started.
 *
 * It goes through descriptors of the processes (pidfd) or the cgroup, never to a number that
 * may be somebody else's by now; after the process was waited for there is nobody to send to,
 * but what it left behind (R19).
 */
#include "ops/process/process.h"
#include "policy/policy.h"

#include <errno.h>
#include <signal.h>

enum { SIGNAL_FIRST = 1, SIGNAL_LAST = 64, NAMED_LAST = 31 };

struct in {
	const char *pid;
	const struct json *signal;
	bool group;
};

struct out {
	int64_t pid;
	const char *signal;
};

static const struct field params[] = {
	PROCESS_PARAM(struct in),
	P_ANY(struct in, signal, F_AUDIT, "Its name (\"SIGTERM\", the default) or its number."),
	P_BOOL(struct in, group, true, "Whether all that descend from the process get it too."),
	FIELDS_END,
};

static const struct field result[] = {
	R_INT(struct out, pid, "Process id."),
	R_STRING(struct out, signal, "Name of the signal that was sent."),
	FIELDS_END,
};

/* 0 when there is none of this name. */
static int by_name(struct str name)
{
	if (!str_starts(name, "SIG"))
		return 0;
	for (int number = SIGNAL_FIRST; number <= NAMED_LAST; number++) {
		const char *known = sigabbrev_np(number);

		if (known && str_is((struct str){ name.p + 3, name.len - 3 }, known))
			return number;
	}
	return 0;
}

static int read_signal(struct call *call, const struct json *given)
{
	if (!given)
		return SIGTERM;
	if (given->type == JSON_STRING && by_name(given->text))
		return by_name(given->text);
	if (given->type == JSON_NUMBER && given->is_integer && given->integer >= SIGNAL_FIRST &&
		given->integer <= SIGNAL_LAST)
		return (int)given->integer;
	return err_set(&call->err, ERR_ARGS_INVALID,
		"parameter 'signal' must be a name as SIGTERM or a number from %d to %d", SIGNAL_FIRST, SIGNAL_LAST);
}

static int exited(struct call *call, const struct process *p)
{
	return err_set(&call->err, ERR_PROCESS_EXITED, "process '%s' has ended", p->id);
}

static int send_to(struct call *call, struct process *p, int number, bool group)
{
	int status;

	if (!p->tree || (p->exited && !group))
		return exited(call, p);
	status = tree_signal(p->tree, number, group);
	if (status == -ESRCH)
		return exited(call, p);
	if (status < 0)
		return err_set(&call->err, ERR_FILES_PERMISSION,
			"the system does not let us send the signal to '%s': %s", p->id, strerrordesc_np(-status));
	return 0;
}

/* The number, if it may be sent. */
static int allowed_signal(struct call *call)
{
	int number = read_signal(call, call_in(call, struct in)->signal);

	return number < 0 || policy_check_signal(call->caller, number, &call->err) < 0 ? -1 : number;
}

static int permit(struct call *call)
{
	return allowed_signal(call) < 0 ? -1 : 0;
}

static int signal_process(struct call *call, struct out *out)
{
	const struct in *in = call_in(call, struct in);
	int number = allowed_signal(call);
	struct process *p;

	if (number < 0)
		return -1;
	p = process_find(call, in->pid);
	if (!p || send_to(call, p, number, in->group) < 0)
		return -1;
	out->pid = p->pid;
	out->signal = arena_strdup(&call->arena, command_signal_name(number, (char[16]){ 0 }));
	return out->signal ? 0 : err_set(&call->err, ERR_BUSY, "the answer needs more memory than is left");
}

static void start(struct call *call)
{
	struct out out;

	if (signal_process(call, &out) < 0)
		call_fail(call);
	else
		call_reply(call, &out);
}

static const enum err_code errors[] = { ERR_PROCESS_NOT_FOUND, ERR_PROCESS_EXITED, ERR_POLICY_SIGNAL,
	ERR_FILES_PERMISSION, ERR_NONE };

const struct op op_process_signal = {
	.id = "process.signal",
	.endpoint = "process_signal",
	.group = "process",
	.scope = "process:control",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/process/{pid}/signal",
	.since = "0.1.0",
	.summary = "Send a signal to a process.",
	.description =
		"With 'group', the default, everything that descends from the process gets it, also what changed its session; "
		"without, the process alone. After its end only living descendants can be signalled, with 'group'. The policy "
		"lists the signals that may be sent.",
	.example = { .args = JSON_TEXT({ "signal" : "SIGTERM" }),
		.after = "process.start",
		.take = "pid",
		.into = "pid" },
	.effects = OP_WRITES,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.permit = permit,
	.start = start,
};
