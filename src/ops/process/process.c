/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/process/process.h"

#include "base/budget.h"
#include "call/counters.h"
#include "policy/policy.h"

#include <stdlib.h>

enum { PID_DIGITS_MAX = 10, ENDED_SHARE = 4 /* of the budget: one part in so many */ };

#define GRACE_NS (2 * NS_PER_S) /* from SIGTERM to SIGKILL */
#define LIVES_ON_NS (100 * NS_PER_MS)
#define RETAIN_NS (3600 * NS_PER_S)

const char *const process_states[] = { "running", "exited", NULL };

static struct {
	struct list_node running, exited; /* the oldest start, the oldest exit first */
	struct timer expiry;              /* of the oldest exited one */
	struct loop *loop;
	uint64_t count; /* of starts */
} table;

static void init_table(struct loop *loop)
{
	if (table.loop)
		return;
	table.loop = loop;
	list_init(&table.running);
	list_init(&table.exited);
}

static struct process *process_of(struct list_node *node)
{
	return OWNER(node, struct process, node);
}

static void process_free(struct process *p)
{
	pipes_stop(&p->pipes);
	feed_close(&p->feed);
	timer_free(&p->timeout);
	tree_free(p->tree);
	journal_free(p->journal);
	free(p->command);
	free(p->name);
	free(p->principal);
	free(p);
}

void process_hold(struct process *p)
{
	p->holders++;
}

void process_release(struct process *p)
{
	if (--p->holders == 0 && p->forgotten)
		process_free(p);
}

static void forget(struct process *p)
{
	list_remove(&p->node);
	p->forgotten = true;
	if (p->holders == 0)
		process_free(p);
}

static void forget_old(void);

static void on_expiry(struct timer *t)
{
	(void)t;
	forget_old();
}

static void wait_for_expiry(void)
{
	if (list_is_empty(&table.exited)) {
		timer_free(&table.expiry);
		return;
	}
	timer_start(&table.expiry, table.loop,
		MAX(process_of(table.exited.next)->ended_ns + RETAIN_NS - clock_now_ns(), NS_PER_S), on_expiry);
}

/* One whose last bytes are still being read stays: its readers are woken then. */
static void forget_old(void)
{
	int64_t now = clock_now_ns();
	size_t newer = 0;

	for (struct list_node *node = table.exited.prev, *before; node != &table.exited; node = before, newer++) {
		struct process *p = process_of(node);

		before = node->prev;
		if (p->drained && (newer >= p->retain || now - p->ended_ns >= RETAIN_NS))
			forget(p);
	}
	wait_for_expiry();
}

/* What ended processes keep must not take the room of work that is to be done. */
static void bound_output(void)
{
	size_t share = budget_limit() / ENDED_SHARE, kept = 0;

	if (share == 0)
		return;
	for (struct list_node *node = table.exited.prev; node != &table.exited; node = node->prev) {
		struct process *p = process_of(node);

		if (!p->journal || !p->drained)
			continue;
		kept += (size_t)(journal_end(p->journal) - journal_start(p->journal));
		if (kept > share)
			journal_discard(p->journal);
	}
}

/* A cgroup tells for certain that nobody is left; then it is given back, and its descriptors with it. */
void process_settle(struct process *p)
{
	if (!p->tree || !p->exited || !tree_has_cgroups() || tree_descendants(p->tree) > 0)
		return;
	tree_free(take_ptr(p->tree));
}

static void on_leader_exit(struct tree *tree, const struct tree_exit *exit, void *user)
{
	struct process *p = user;

	(void)tree;
	p->exit = *exit;
	p->exited = true;
	p->ended_ns = clock_now_ns();
	clock_text_now(p->ended_at);
	timer_free(&p->timeout);
	list_remove(&p->node);
	list_append(&table.exited, &p->node);
	counters_add(GAUGE_PROCESSES, -1);
	feed_close(&p->feed);
	if (!p->timed_out)
		process_settle(p);
	pipes_exited(&p->pipes);
	forget_old();
}

static void on_gone(struct tree *tree, void *user)
{
	struct process *p = user;

	if (!p->exited)
		return; /* given up: it hangs in the kernel */
	tree_free(tree);
	p->tree = NULL;
}

static void on_bytes(struct pipes *pipes, unsigned stream, struct str bytes)
{
	struct process *p = OWNER(pipes, struct process, pipes);

	p->written_ns = clock_now_ns();
	journal_append(p->journal, stream == PIPES_OUT ? JOURNAL_STDOUT : JOURNAL_STDERR, bytes);
}

static void on_drained(struct pipes *pipes, bool held)
{
	struct process *p = OWNER(pipes, struct process, pipes);

	p->drained = true;
	p->held = held;
	if (p->journal)
		journal_close(p->journal);
	bound_output();
	/* Not from here: it may be this one. */
	timer_start(&table.expiry, table.loop, 0, on_expiry);
}

static void on_timeout(struct timer *t)
{
	struct process *p = OWNER(t, struct process, timeout);

	p->timed_out = true;
	tree_end(p->tree, GRACE_NS);
}

static const struct tree_events tree_events = { .on_exit = on_leader_exit, .on_gone = on_gone };
static const struct pipes_events pipes_events = { .on_bytes = on_bytes, .on_end = on_drained };

static void fill_in(struct process *p, struct call *call, const struct process_start *what, struct child *child)
{
	memcpy(p->id, tree_id(p->tree), sizeof p->id);
	p->pid = child->pid;
	p->number = table.count++;
	p->command = mem_strdup(what->shown);
	p->name = what->name ? mem_strdup(what->name) : NULL;
	p->principal = mem_strdup(principal_name(call->caller));
	p->retain = what->retain;
	p->takes_input = what->takes_input;
	if (what->captures)
		p->journal = journal_new(what->max_output_bytes, NULL, NULL);
	feed_init(&p->feed, call->loop, child->in);
	pipes_start(&p->pipes, call->loop, -1, child->out, child->err, &pipes_events);
	if (what->timeout_s > 0)
		timer_start(&p->timeout, call->loop, (int64_t)(what->timeout_s * (double)NS_PER_S), on_timeout);
}

struct process *process_begin(struct call *call, const struct process_start *what)
{
	struct process *p = mem_new(struct process);
	struct child child;

	init_table(call->loop);
	/* Before the child runs: what it does counts from here, however late this thread goes on. */
	p->started_ns = clock_now_ns();
	clock_text_now(p->started_at);
	p->tree = command_start(call, what->command,
		(what->takes_input ? COMMAND_TAKES_INPUT : 0) | (what->captures ? 0 : COMMAND_IS_MUTE), &tree_events, p,
		&child);
	if (!p->tree) {
		free(p);
		return NULL;
	}
	fill_in(p, call, what, &child);
	receipt_fill(&p->receipt, call, what->command->user, p->tree);
	list_append(&table.running, &p->node);
	counters_add(GAUGE_PROCESSES, 1);
	return p;
}

size_t process_running(const char *principal)
{
	size_t count = 0;

	if (!table.loop)
		return 0;
	LIST_EACH(node, &table.running)
	count += strcmp(process_of(node)->principal, principal) == 0;
	return count;
}

/* Canonical decimal digits, at most as many as a pid may have; 0 for everything else. */
static int64_t pid_of(const char *text)
{
	struct str digits = str_of(text);
	uint64_t value;

	if (digits.len > PID_DIGITS_MAX || text[0] == '0' || str_to_u64(digits, &value) < 0)
		return 0;
	return (int64_t)value;
}

static bool is_meant(const struct process *p, const char *text, int64_t pid)
{
	return pid ? p->pid == pid : strcmp(p->id, text) == 0;
}

static struct process *newest_in(struct list_node *list, const char *text, int64_t pid, struct process *best)
{
	LIST_EACH(node, list)
	{
		struct process *p = process_of(node);

		if (is_meant(p, text, pid) && (!best || p->number > best->number))
			best = p;
	}
	return best;
}

struct process *process_find(struct call *call, const char *pid)
{
	int64_t number = pid_of(pid);
	struct process *found = NULL;

	if (table.loop) {
		found = newest_in(&table.exited, pid, number, found);
		found = newest_in(&table.running, pid, number, found);
	}
	if (!found)
		err_set(&call->err, ERR_PROCESS_NOT_FOUND, "no process '%.60s' is known", pid);
	return found;
}

struct process *process_find_captured(struct call *call, const char *pid)
{
	struct process *p = process_find(call, pid);

	if (!p || p->journal)
		return p;
	err_set(&call->err, ERR_PROCESS_NOT_CAPTURED, "process '%s' was started without capture_output", p->id);
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = (*(struct process *const *)a)->number, right = (*(struct process *const *)b)->number;

	return (left > right) - (left < right);
}

struct process **process_all(struct call *call, size_t *ret_count)
{
	struct process **all;
	size_t count = 0;

	init_table(call->loop);
	LIST_EACH(node, &table.running)
	count += process_of(node) != NULL;
	LIST_EACH(node, &table.exited)
	count += process_of(node) != NULL;
	all = call_alloc(call, (count + 1) * sizeof(struct process *));
	if (!all)
		return NULL;
	*ret_count = 0;
	LIST_EACH(node, &table.running)
	all[(*ret_count)++] = process_of(node);
	LIST_EACH(node, &table.exited)
	all[(*ret_count)++] = process_of(node);
	qsort(all, count, sizeof(struct process *), by_number);
	return all;
}

bool process_is_silent(struct process *p)
{
	int64_t now = clock_now_ns();

	if (p->drained || p->exited || p->pipes.fds[PIPES_OUT] >= 0 || p->pipes.fds[PIPES_ERR] >= 0)
		return p->drained;
	if (!p->closed_ns)
		p->closed_ns = now;
	return now - p->closed_ns >= LIVES_ON_NS;
}
