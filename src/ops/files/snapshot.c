/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/snapshot.h"

#include "ops/files/walk.h"
#include "policy/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

enum { SNAPSHOT_MAX = 1 << 30 }; /* the budget ends it far earlier */

static int64_t ns_of(struct timespec t)
{
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int add_entry(struct snapshot *s, const struct snapshot_scan *scan, struct walk *w, size_t skip)
{
	struct stat st;
	struct snapshot_item item;
	int status;

	if (scan->only && strcmp(scan->only, w->name) != 0)
		return 0;
	if (!place_visible(scan->who, w->path.data) || fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	item = (struct snapshot_item){ s->text.len, st.st_dev, st.st_ino, st.st_size, ns_of(st.st_mtim),
		ns_of(st.st_ctim), st.st_mode };
	buf_add(&s->text, w->path.data + skip, w->path.len - skip + 1);
	buf_add(&s->items, &item, sizeof item);
	if (buf_failed(&s->text) || buf_failed(&s->items))
		return -ENOMEM;
	if (!S_ISDIR(st.st_mode) || !scan->recursive)
		return 0;
	status = walk_enter(w);
	return status == -ENOMEM || status == -EMFILE || status == -ENFILE ? status : 0;
}

static int walk_all(struct snapshot *s, const struct snapshot_scan *scan, struct walk *w, size_t skip)
{
	int event, status = 0;

	while (status == 0 && (event = walk_next(w)) != WALK_END) {
		if (event < 0)
			return event;
		if (job_stopped(scan->job))
			return -ECANCELED;
		if (event == WALK_ENTRY)
			status = add_entry(s, scan, w, skip);
	}
	return status;
}

static const char *path_of(const struct snapshot *s, const struct snapshot_item *item)
{
	return s->text.data + item->path;
}

static int by_path(const void *a, const void *b, void *text)
{
	const struct snapshot_item *one = a, *two = b;

	return strcmp((const char *)text + one->path, (const char *)text + two->path);
}

static size_t count_of(const struct snapshot *s)
{
	return s->items.len / sizeof(struct snapshot_item);
}

static const struct snapshot_item *item_at(const struct snapshot *s, size_t i)
{
	return (const struct snapshot_item *)s->items.data + i;
}

int snapshot_take(struct snapshot *s, const struct snapshot_scan *scan, int dir_fd, const char *path)
{
	size_t skip = path[1] ? strlen(path) + 1 : 1;
	struct walk w;
	int status;

	buf_init_budgeted(&s->text, SNAPSHOT_MAX);
	buf_init_budgeted(&s->items, SNAPSHOT_MAX);
	status = walk_start(&w, dir_fd, path);
	if (status == 0)
		status = walk_all(s, scan, &w, skip);
	walk_done(&w);
	if (status == 0 && s->items.len)
		qsort_r(s->items.data, count_of(s), sizeof(struct snapshot_item), by_path, s->text.data);
	return status;
}

void snapshot_free(struct snapshot *s)
{
	buf_free(&s->text);
	buf_free(&s->items);
}

/* What is on one side alone, and whether the other side has it under another name. */
struct single {
	const struct snapshot_item *item;
	const char *path;
	struct single *pair;
};

struct comparing {
	const struct snapshot *old, *new;
	snapshot_fn *fn;
	void *user;
	struct buf gone, made; /* of struct single */
};

static void add_single(struct buf *to, const struct snapshot *s, const struct snapshot_item *item)
{
	struct single one = { item, path_of(s, item), NULL };

	buf_add(to, &one, sizeof one);
}

/* The same path on both sides. */
static void compare_item(struct comparing *c, const struct snapshot_item *old, const struct snapshot_item *new)
{
	const char *path = path_of(c->new, new);
	bool is_dir = S_ISDIR(new->mode), same = old->dev == new->dev && old->ino == new->ino;

	if ((old->mode ^ new->mode) & S_IFMT || (is_dir && !same)) {
		add_single(&c->gone, c->old, old);
		add_single(&c->made, c->new, new);
		return;
	}
	if (!is_dir && (!same || old->size != new->size || old->mtime_ns != new->mtime_ns))
		c->fn(c->user, SNAPSHOT_WRITE, path, NULL, false);
	else if (old->mode != new->mode)
		c->fn(c->user, SNAPSHOT_CHMOD, path, NULL, is_dir);
}

static void merge(struct comparing *c)
{
	size_t i = 0, k = 0, olds = count_of(c->old), news = count_of(c->new);

	while (i < olds || k < news) {
		const struct snapshot_item *old = i < olds ? item_at(c->old, i) : NULL;
		const struct snapshot_item *new = k < news ? item_at(c->new, k) : NULL;
		int order = !old ? 1 : !new ? -1 : strcmp(path_of(c->old, old), path_of(c->new, new));

		if (order == 0)
			compare_item(c, old, new);
		else if (order < 0)
			add_single(&c->gone, c->old, old);
		else
			add_single(&c->made, c->new, new);
		i += order <= 0;
		k += order >= 0;
	}
}

static int by_inode(const void *a, const void *b)
{
	const struct snapshot_item *one = (*(const struct single *const *)a)->item;
	const struct snapshot_item *two = (*(const struct single *const *)b)->item;

	if (one->ino != two->ino)
		return one->ino < two->ino ? -1 : 1;
	return one->dev < two->dev ? -1 : one->dev > two->dev;
}

/* A number of an inode may be used again at once, so that time and size have to agree too. */
static bool is_same(const struct snapshot_item *a, const struct snapshot_item *b)
{
	return a->ino == b->ino && a->dev == b->dev && !((a->mode ^ b->mode) & S_IFMT) &&
	       (S_ISDIR(a->mode) || (a->size == b->size && a->mtime_ns == b->mtime_ns));
}

static void pair_up(struct buf *gone, struct buf *made, struct single **order)
{
	size_t count = gone->len / sizeof(struct single);
	struct single *all = (struct single *)gone->data, *new = (struct single *)made->data;

	for (size_t i = 0; i < count; i++)
		order[i] = &all[i];
	qsort(order, count, sizeof *order, by_inode);
	for (size_t i = 0; i < made->len / sizeof(struct single); i++) {
		struct single *key = &new[i], **found = bsearch(&key, order, count, sizeof *order, by_inode);

		if (found && !(*found)->pair && is_same((*found)->item, key->item)) {
			(*found)->pair = key;
			key->pair = *found;
		}
	}
}

struct wanted_path {
	const char *path;
	size_t len;
};

static int match_path(const void *key, const void *single)
{
	const struct wanted_path *wanted = key;
	const char *path = ((const struct single *)single)->path;
	int order = strncmp(wanted->path, path, wanted->len);

	return order ? order : path[wanted->len] ? -1 : 0;
}

/* Whether the folder above was renamed in the same way, which tells it all. */
static bool is_carried(const struct buf *made, const struct single *s)
{
	const char *name = strrchr(s->path, '/'), *old_name = strrchr(s->pair->path, '/');
	struct wanted_path above;
	const struct single *folder;

	if (!name || !old_name || strcmp(name, old_name) != 0)
		return false;
	above = (struct wanted_path){ s->path, (size_t)(name - s->path) };
	folder = bsearch(&above, made->data, made->len / sizeof *folder, sizeof *folder, match_path);
	if (!folder || !folder->pair)
		return false;
	above = (struct wanted_path){ s->pair->path, (size_t)(old_name - s->pair->path) };
	return match_path(&above, folder->pair) == 0;
}

static void tell_singles(struct comparing *c)
{
	const struct single *gone = (const struct single *)c->gone.data, *made = (const struct single *)c->made.data;

	for (size_t i = 0; i < c->gone.len / sizeof *gone; i++) {
		if (!gone[i].pair)
			c->fn(c->user, SNAPSHOT_REMOVE, gone[i].path, NULL, S_ISDIR(gone[i].item->mode));
	}
	for (size_t i = 0; i < c->made.len / sizeof *made; i++) {
		bool is_dir = S_ISDIR(made[i].item->mode);

		if (!made[i].pair)
			c->fn(c->user, SNAPSHOT_CREATE, made[i].path, NULL, is_dir);
		else if (!is_carried(&c->made, &made[i]))
			c->fn(c->user, SNAPSHOT_RENAME, made[i].path, made[i].pair->path, is_dir);
	}
}

int snapshot_compare(const struct snapshot *old, const struct snapshot *new, snapshot_fn *fn, void *user)
{
	struct comparing c = { .old = old, .new = new, .fn = fn, .user = user };
	AUTOBUF struct buf order;
	struct single **pointers = NULL;
	size_t size;

	buf_init_budgeted(&order, SNAPSHOT_MAX);
	buf_init_budgeted(&c.gone, SNAPSHOT_MAX);
	buf_init_budgeted(&c.made, SNAPSHOT_MAX);
	merge(&c);
	size = c.gone.len / sizeof(struct single) * sizeof *pointers;
	if (size)
		pointers = (struct single **)(void *)buf_reserve(&order, size);
	if (pointers && c.made.len)
		pair_up(&c.gone, &c.made, pointers);
	if (!buf_failed(&c.gone) && !buf_failed(&c.made))
		tell_singles(&c);
	size = buf_failed(&c.gone) || buf_failed(&c.made);
	buf_free(&c.gone);
	buf_free(&c.made);
	return size ? -ENOMEM : 0;
}
