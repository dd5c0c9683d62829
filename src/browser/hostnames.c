/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/hostnames.h"

#include "base/clock.h"
#include "loop/job.h"
#include "policy/net_host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { KNOWN_MAX = 64, AT_ONCE_MAX = 2, WAITING_MAX = 256 };

#define KEPT_MAX_NS (60 * NS_PER_S)

/* A name that is known, is looked up, or waits for its turn. */
struct entry {
	struct list_node node;   /* in one of the lists; in none when orphaned */
	struct hostnames *names; /* NULL: hostnames_free() was called while the job ran */
	struct list_node waits;  /* of struct hostnames_wait */
	int64_t good_until_ns;
	struct lookup_result result;
	const struct lookup_files *files;
	struct job job;
	char name[NET_HOST_NAME_MAX + 1];
};

struct hostnames {
	struct loop *loop;
	const struct lookup_files *files;
	int64_t within_ns;
	struct list_node known, running, waiting; /* in order of their age */
	unsigned known_count, running_count, waiting_count;
};

static const struct lookup_result too_many = { .error = -EAGAIN };

struct hostnames *hostnames_new(struct loop *loop, const struct lookup_files *files, int64_t within_ns)
{
	struct hostnames *names = mem_new(struct hostnames);

	names->loop = loop;
	names->files = files;
	names->within_ns = within_ns;
	list_init(&names->known);
	list_init(&names->running);
	list_init(&names->waiting);
	return names;
}

static void free_all(struct list_node *list)
{
	struct list_node *node;

	while ((node = list_shift(list)))
		free(OWNER(node, struct entry, node));
}

void hostnames_free(struct hostnames *names)
{
	struct list_node *node;

	if (!names)
		return;
	free_all(&names->known);
	free_all(&names->waiting);
	while ((node = list_shift(&names->running))) {
		struct entry *e = OWNER(node, struct entry, node);

		assert(list_is_empty(&e->waits));
		e->names = NULL;
		job_cancel(&e->job);
	}
	free(names);
}

static bool is_stopped(void *user)
{
	return job_stopped(user);
}

static void on_work(struct job *job)
{
	struct entry *e = OWNER(job, struct entry, job);

	lookup_run(e->files, e->name, job->deadline_ns, is_stopped, job, &e->result);
}

static void start_next(struct hostnames *names);

static void forget(struct hostnames *names, struct entry *e)
{
	list_remove(&e->node);
	names->known_count--;
	free(e);
}

/* Room for what was found; failures are told and not kept. */
static void keep(struct hostnames *names, struct entry *e)
{
	int64_t ttl_ns = MIN((int64_t)e->result.found.ttl * NS_PER_S, KEPT_MAX_NS);

	if (e->result.error < 0 || ttl_ns == 0) {
		free(e);
		return;
	}
	if (names->known_count == KNOWN_MAX)
		forget(names, OWNER(names->known.next, struct entry, node));
	e->good_until_ns = clock_now_ns() + ttl_ns;
	list_append(&names->known, &e->node);
	names->known_count++;
}

static void on_done(struct job *job)
{
	struct entry *e = OWNER(job, struct entry, job);
	struct hostnames *names = e->names;
	struct lookup_result result = e->result;
	struct list_node waits, *node;

	if (!names) {
		free(e);
		return;
	}
	list_init(&waits);
	while ((node = list_shift(&e->waits)))
		list_append(&waits, node);
	list_remove(&e->node);
	names->running_count--;
	keep(names, e);
	start_next(names);
	/* Whoever is called may free names, when it is the last: it is not used from here. */
	while ((node = list_shift(&waits))) {
		struct hostnames_wait *wait = OWNER(node, struct hostnames_wait, node);

		wait->on_done(wait, &result);
	}
}

/* A lane that is full is asked again when one of ours is done; there is none when we run none. */
static bool start(struct hostnames *names, struct entry *e)
{
	e->job = (struct job){ .work = on_work, .done = on_done, .lane = LANE_LONG };
	e->job.deadline_ns = clock_now_ns() + names->within_ns;
	if (job_start(&e->job, names->loop) < 0)
		return false;
	list_append(&names->running, &e->node);
	names->running_count++;
	return true;
}

static void start_next(struct hostnames *names)
{
	while (names->running_count < AT_ONCE_MAX && names->waiting_count) {
		struct entry *e = OWNER(names->waiting.next, struct entry, node);

		list_remove(&e->node);
		if (!start(names, e)) {
			list_append(&names->waiting, &e->node);
			return;
		}
		names->waiting_count--;
	}
}

static struct entry *find(struct list_node *list, const char *name)
{
	LIST_EACH(node, list)
	{
		struct entry *e = OWNER(node, struct entry, node);

		if (strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

static struct entry *begin(struct hostnames *names, const char *name)
{
	struct entry *e = mem_new(struct entry);

	e->names = names;
	e->files = names->files;
	list_init(&e->node);
	list_init(&e->waits);
	snprintf(e->name, sizeof e->name, "%s", name);
	if (names->running_count < AT_ONCE_MAX && start(names, e))
		return e;
	if (names->running_count == 0 || names->waiting_count == WAITING_MAX) {
		free(e);
		return NULL;
	}
	list_append(&names->waiting, &e->node);
	names->waiting_count++;
	return e;
}

const struct lookup_result *hostnames_ask(struct hostnames *names, const char *name, struct hostnames_wait *wait)
{
	struct entry *e = find(&names->known, name);

	if (e && clock_now_ns() < e->good_until_ns)
		return &e->result;
	if (e)
		forget(names, e);
	e = find(&names->running, name);
	if (!e)
		e = find(&names->waiting, name);
	if (!e)
		e = begin(names, name);
	if (!e)
		return &too_many;
	list_append(&e->waits, &wait->node);
	return NULL;
}

void hostnames_leave(struct hostnames_wait *wait)
{
	list_remove(&wait->node);
}
