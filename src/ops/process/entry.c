/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/entry.h"

const struct field entry_rows[] = { ENTRY_ROWS, FIELDS_END };

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
