/* SPDX-License-Identifier: Apache-2.0 */
#include "custom/commands.h"

#include "base/clock.h"
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAMES_SHOWN = 64, COMMANDS_MAX = 1024 };

#define PATIENCE_NS (10 * NS_PER_S)

static const char PREFIX[] = "custom.";

struct commands {
	unsigned refs;
	struct hold hold;
	struct custom *items;
	size_t count;
	const struct op **ops;
	/* What the items point into. */
	struct manifest **manifests;
	struct description **descriptions; /* NULL where there is none */
	struct worker **workers;           /* likewise */
	size_t manifest_count;
};

/* A manifest that counts, and its worker. */
struct entry {
	struct manifest *manifest;
	struct worker *worker; /* NULL: a command */
};

static struct {
	struct loop *loop;
	const char *path;
	struct entry *entries;
	size_t count;
	struct commands *set;
	struct list_node waiting;
} all;

static const struct custom *find_item(const struct commands *c, struct str name)
{
	for (size_t i = 0; i < c->count; i++) {
		if (str_is(name, c->items[i].name))
			return &c->items[i];
	}
	return NULL;
}

/* That of the set before, so that the limit of calls holds across them. */
static struct custom_count *count_of(struct str name)
{
	const struct custom *old = all.set ? find_item(all.set, name) : NULL;
	struct custom_count *count = old ? old->count : mem_new(struct custom_count);

	count->refs++;
	return count;
}

static void count_unref(struct custom_count *count)
{
	if (--count->refs == 0)
		free(count);
}

static void add(struct commands *c, const struct custom *command)
{
	/* A worker cannot be refused at the start as a second manifest is: the first of a name stays. */
	if (c->count == COMMANDS_MAX || find_item(c, str_of(command->name)))
		return;
	c->items[c->count] = *command;
	c->items[c->count++].count = count_of(str_of(command->name));
}

static void add_described(struct commands *c, const struct entry *entry, const struct description *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct described *one = &d->items[i];
		struct custom command = { .name = one->name,
			.description = one->description,
			.hidden = one->hidden,
			.timeout_s = one->timeout < 0 ? entry->manifest->timeout : one->timeout,
			.args = one->args,
			.manifest = entry->manifest,
			.worker = entry->worker };

		add(c, &command);
	}
}

static void add_manifest(struct commands *c, const struct manifest *m)
{
	struct custom command = { .name = m->name,
		.description = m->description,
		.hidden = m->hidden,
		.timeout_s = m->timeout,
		.args = m->args,
		.manifest = m };

	add(c, &command);
}

static void make_ops(struct commands *c)
{
	size_t built_in = 0;

	while (ops_all[built_in])
		built_in++;
	c->ops = hold_array(&c->hold, const struct op *, built_in + c->count + 1);
	memcpy(c->ops, ops_all, built_in * sizeof *c->ops);
	for (size_t i = 0; i < c->count; i++) {
		custom_make_op(&c->items[i], &c->hold);
		c->ops[built_in + i] = &c->items[i].op;
	}
}

static void keep(struct commands *c, size_t at, const struct entry *entry)
{
	struct description *d = entry->worker ? worker_described(entry->worker) : NULL;

	c->manifests[at] = manifest_ref(entry->manifest);
	c->workers[at] = entry->worker ? worker_ref(entry->worker) : NULL;
	c->descriptions[at] = d ? description_ref(d) : NULL;
}

static size_t count_offered(void)
{
	size_t count = 0;

	for (size_t i = 0; i < all.count; i++) {
		const struct worker *w = all.entries[i].worker;

		count += !w ? 1 : worker_described(w) ? worker_described(w)->count : 0;
	}
	return count;
}

/* The set of what the entries offer now.  Commands of a manifest come first: their names are certain. */
static struct commands *make_set(void)
{
	struct commands *c = mem_new(struct commands);

	c->refs = 1;
	c->manifest_count = all.count;
	c->items = hold_array(&c->hold, struct custom, MIN(count_offered(), (size_t)COMMANDS_MAX) + 1);
	c->manifests = hold_array(&c->hold, struct manifest *, all.count + 1);
	c->workers = hold_array(&c->hold, struct worker *, all.count + 1);
	c->descriptions = hold_array(&c->hold, struct description *, all.count + 1);
	for (size_t i = 0; i < all.count; i++) {
		keep(c, i, &all.entries[i]);
		if (!c->workers[i])
			add_manifest(c, c->manifests[i]);
	}
	for (size_t i = 0; i < all.count; i++) {
		if (c->descriptions[i])
			add_described(c, &all.entries[i], c->descriptions[i]);
	}
	make_ops(c);
	return c;
}

struct commands *commands_ref(void)
{
	all.set->refs++;
	return all.set;
}

void commands_unref(struct commands *c)
{
	if (!c || --c->refs > 0)
		return;
	for (size_t i = 0; i < c->count; i++)
		count_unref(c->items[i].count);
	for (size_t i = 0; i < c->manifest_count; i++) {
		worker_unref(c->workers[i]);
		description_unref(c->descriptions[i]);
		manifest_unref(c->manifests[i]);
	}
	hold_free(&c->hold);
	free(c);
}

static void replace_set(void)
{
	struct commands *old = all.set;

	all.set = make_set();
	commands_unref(old);
}

static void tell(struct commands_wait *w)
{
	commands_wait_leave(w);
	w->fn(w);
}

static void tell_waiting(void)
{
	while (!list_is_empty(&all.waiting))
		tell(OWNER(all.waiting.next, struct commands_wait, node));
}

static void on_patience_over(struct timer *t)
{
	tell(OWNER(t, struct commands_wait, patience));
}

static bool have_settled(void)
{
	for (size_t i = 0; i < all.count; i++) {
		if (all.entries[i].worker && !worker_has_settled(all.entries[i].worker))
			return false;
	}
	return true;
}

static void on_change(struct worker *w)
{
	(void)w;
	replace_set();
	if (have_settled())
		tell_waiting();
}

void commands_init(struct loop *loop, const char *path)
{
	all.loop = loop;
	all.path = path;
	list_init(&all.waiting);
	all.set = make_set();
}

int commands_read(struct manifests *ret_manifests, struct err *err)
{
	return manifests_read(all.path, ret_manifests, err);
}

static const struct entry *find_entry(const struct entry *entries, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(entries[i].manifest->path, path) == 0)
			return &entries[i];
	}
	return NULL;
}

/* The one that is there already, or a new one that offers what it offered until it says otherwise. */
static struct worker *worker_for(struct manifest *m, struct policy *policy)
{
	const struct entry *old = find_entry(all.entries, all.count, m->path);
	struct worker *worker = old ? old->worker : NULL;

	if (worker && worker_fits(worker, m, policy))
		return worker_ref(worker);
	return worker_new(all.loop, m, policy, worker ? worker_described(worker) : NULL, on_change);
}

static void free_entries(struct entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		worker_unref(entries[i].worker);
		manifest_unref(entries[i].manifest);
	}
	free(entries);
}

void commands_take(struct manifests *manifests, struct policy *policy)
{
	struct entry *entries = mem_alloc(sizeof *entries * (manifests->count + 1)), *old = all.entries;
	size_t old_count = all.count;

	for (size_t i = 0; i < manifests->count; i++) {
		entries[i].manifest = manifest_ref(manifests->items[i]);
		if (manifests->items[i]->worker)
			entries[i].worker = worker_for(manifests->items[i], policy);
	}
	all.count = manifests->count;
	all.entries = entries;
	manifests_free(manifests);
	replace_set();
	free_entries(old, old_count);
}

const struct op *const *commands_ops(const struct commands *c)
{
	return c->ops;
}

const struct worker *commands_worker(size_t index)
{
	for (size_t i = 0; i < all.count; i++) {
		if (all.entries[i].worker && index-- == 0)
			return all.entries[i].worker;
	}
	return NULL;
}

const char *commands_problem(const struct worker *w, struct arena *arena)
{
	const struct description *d = worker_described(w);

	for (size_t i = 0; d && !worker_problem(w) && i < d->count; i++) {
		const struct custom *c = find_item(all.set, str_of(d->items[i].name));

		if (!c)
			return arena_printf(arena, "there are too many commands: '%s' is left out", d->items[i].name);
		if (c->worker != w)
			return arena_printf(arena, "%s has the command '%s' already", c->manifest->file, c->name);
	}
	return worker_problem(w);
}

static const struct op *find(const struct commands *c, struct str name)
{
	const struct custom *item = find_item(c, name);

	return item ? &item->op : &custom_any;
}

static void only_post(struct str method, struct route *r)
{
	snprintf(r->allow, sizeof r->allow, "POST, OPTIONS");
	r->kind = str_is(method, "OPTIONS") ? ROUTE_OPTIONS : ROUTE_METHOD;
}

void commands_route(
	const struct commands *c, struct str method, const struct str *segments, size_t count, struct route *ret_route)
{
	struct str name;

	if (count != 2)
		return;
	name = segments[1];
	if (str_is(segments[0], "commands") && !str_is(method, "POST")) {
		only_post(method, ret_route);
	} else if (str_is(segments[0], "commands")) {
		*ret_route = (struct route){ .kind = ROUTE_REST, .op = find(c, name) };
	} else if (str_is(segments[0], "ops") && str_starts(name, PREFIX) && str_is(method, "POST")) {
		name.p += sizeof PREFIX - 1;
		name.len -= sizeof PREFIX - 1;
		*ret_route = (struct route){ .kind = ROUTE_UNIFORM, .op = find(c, name) };
	}
}

static bool may_know(const struct call *call, const struct op *op)
{
	struct err ignored;

	return op->is_dynamic && !custom_of(op)->hidden && policy_check_op(call->caller, op, &ignored) == 0;
}

int commands_refuse(const struct call *call, struct str name, struct arena *arena, struct err *err)
{
	const char *names[NAMES_SHOWN + 1] = { NULL }, *near;
	struct str shown = name;
	AUTOBUF struct buf list, details;
	size_t count = 0, left = 0;
	struct json_writer w;

	buf_init(&list, 8192);
	buf_init(&details, 16384);
	if (str_starts(name, PREFIX)) {
		name.p += sizeof PREFIX - 1;
		name.len -= sizeof PREFIX - 1;
	}
	json_write_init(&w, &details);
	json_object_begin(&w);
	json_key(&w, "commands");
	json_array_begin(&w);
	for (const struct op *const *op = call->ops; *op; op++) {
		if (!may_know(call, *op))
			continue;
		if (count == NAMES_SHOWN) {
			left++;
			continue;
		}
		names[count] = custom_of(*op)->name;
		json_string(&w, names[count]);
		buf_addf(&list, "%s%s", count ? ", " : "", names[count]);
		count++;
	}
	json_array_end(&w);
	json_object_end(&w);
	near = str_nearest(name, names);
	/* /commands/custom.NAME: without its front it would be the one that there is. */
	if (!near || !str_is(name, near))
		shown = name;
	err_set(err, ERR_CUSTOM_UNKNOWN, "there is no command '" STR_FMT "'%s%s%s; there are: %s%s",
		(int)MIN(shown.len, (size_t)COMMAND_NAME_MAX), shown.p, near ? ", did you mean '" : "",
		near ? near : "", near ? "'?" : "", count ? list.data : "none", left ? ", …" : "");
	err->details = arena_strndup(arena, details.data, details.len);
	return -1;
}

void commands_wait(struct commands_wait *w, commands_wait_fn *fn)
{
	*w = (struct commands_wait){ .fn = fn };
	list_init(&w->node);
	if (have_settled()) {
		fn(w);
		return;
	}
	list_append(&all.waiting, &w->node);
	timer_start(&w->patience, all.loop, PATIENCE_NS, on_patience_over);
}

void commands_wait_leave(struct commands_wait *w)
{
	list_remove(&w->node);
	timer_free(&w->patience);
}

void commands_free(void)
{
	if (!all.set)
		return;
	while (!list_is_empty(&all.waiting))
		commands_wait_leave(OWNER(all.waiting.next, struct commands_wait, node));
	free_entries(take_ptr(all.entries), all.count);
	all.count = 0;
	commands_unref(take_ptr(all.set));
	workers_free();
}
