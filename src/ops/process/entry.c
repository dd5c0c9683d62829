/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/entry.h"

const struct field entry_rows[] = {
	R_STRING(struct entry, id, "What it is addressed by."),
	R_INT(struct entry, pid, "Process id; of an ended one it may belong to somebody else by now."),
	R_STRING(struct entry, command, "What was started, cut after 1024 bytes."),
	R_NULL_STRING(struct entry, name, "Its label."),
	R_CHOICE(struct entry, state, process_states, "Whether it runs."),
	R_STRING(struct entry, started_at, "When it was started."),
	R_OPT_STRING(struct entry, ended_at, "When it ended."),
	R_NULL_INT(struct entry, exit_code, "Its exit code; 128 and N when signal N ended it; null while it runs."),
	R_OPT_STRING(struct entry, signal, "The signal that ended it."),
	R_FLAG(struct entry, timed_out, "It was ended by its timeout."),
	R_FLAG(struct entry, oom_killed, "The kernel ended it for want of memory."),
	R_INT(struct entry, descendants, "How many processes that descend from it live, itself not counted."),
	R_NUM(struct entry, cpu_seconds, "Processor time of it and its living descendants."),
	R_INT(struct entry, rss_bytes, "Memory that it and its descendants have resident now."),
	R_BOOL(struct entry, capture_output, "Whether its output can be read."),
	R_BOOL(struct entry, stdin_open, "Whether its standard input can be written to."),
	FIELDS_END,
};

void entry_fill(struct entry *e, struct process *p)
{
	*e = (struct entry){
		.id = p->id,
		.pid = p->pid,
		.command = p->command,
		.name = p->name,
		.state = process_state(p),
		.started_at = p->started_at,
		.capture_output = p->journal != NULL,
		.stdin_open = p->feed.fd >= 0,
	};
	if (p->tree)
		e->descendants = (int64_t)tree_usage(p->tree, &e->cpu_seconds, &e->rss_bytes);
	if (!p->exited)
		return;
	if (e->descendants == 0)
		process_settle(p);
	e->ended_at = p->ended_at;
	e->exit_code = (struct opt_int){ true, p->exit.code };
	e->signal = command_signal_name(p->exit.signal, e->signal_text);
	e->timed_out = p->timed_out;
	e->oom_killed = p->exit.oom_killed;
	e->cpu_seconds += p->exit.cpu_seconds;
}
