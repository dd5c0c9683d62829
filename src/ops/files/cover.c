/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/cover.h"

#include "base/budget.h"
#include "ops/files/walk.h"
#include "policy/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_KNOWN = 64 };

static uint64_t new_id(void)
{
	static atomic_uint_fast64_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

static uint64_t hash_of(const struct folder *folder, const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ folder->id * UINT64_C(0x9e3779b97f4a7c15);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	hash ^= hash >> 29;
	return hash ? hash : 1;
}

/* What a folder takes of the budget, with the kernel's and notify's part. */
static size_t cost(const char *name)
{
	return 2 * sizeof(struct folder) + strlen(name) + 1;
}

static struct folder *folder_new(struct folder *parent, const char *name)
{
	struct folder *f;

	if (!budget_take(cost(name)))
		return NULL;
	f = mem_new(struct folder);
	f->mark.wd = -1;
	f->parent = parent;
	f->id = new_id();
	f->name = mem_strdup(name);
	list_init(&f->mark.node);
	list_init(&f->children);
	list_init(&f->node);
	if (parent)
		list_append(&parent->children, &f->node);
	return f;
}

static void folder_free(struct folder *f)
{
	budget_give(cost(f->name));
	free(f->name);
	free(f);
}

void folder_hold(struct folder *f)
{
	f->queued++;
}

void folder_release(struct folder *f)
{
	if (--f->queued == 0 && f->gone)
		folder_free(f);
}

static void folder_end(struct folder *f)
{
	notify_drop(&f->mark);
	list_remove(&f->node);
	f->gone = true;
	if (!f->queued)
		folder_free(f);
}

/* By the lists, not by recursion: a tree may be as deep as it likes. */
static void drop_tree(struct folder *top)
{
	struct folder *f = top, *parent;

	while (f) {
		if (!list_is_empty(&f->children)) {
			f = OWNER(f->children.next, struct folder, node);
			continue;
		}
		parent = f == top ? NULL : f->parent;
		folder_end(f);
		f = parent;
	}
}

static struct known *slot(struct known *table, size_t cap, uint64_t hash)
{
	size_t i = hash & (cap - 1);

	while (table[i].hash && table[i].hash != hash)
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static bool grow(struct cover *c)
{
	size_t cap = c->cap ? c->cap * 2 : FIRST_KNOWN;
	struct known *grown = budget_take(cap * sizeof *grown) ? calloc(cap, sizeof *grown) : NULL;

	if (!grown) {
		c->lossy = true;
		return false;
	}
	for (size_t i = 0; i < c->cap; i++) {
		if (c->known[i].hash)
			*slot(grown, cap, c->known[i].hash) = c->known[i];
	}
	budget_give(c->cap * sizeof *grown);
	free(c->known);
	c->known = grown;
	c->cap = cap;
	return true;
}

static struct known *put(struct cover *c, uint64_t hash)
{
	struct known *k;

	if (c->count * 4 >= c->cap * 3 && !grow(c))
		return NULL;
	k = slot(c->known, c->cap, hash);
	if (!k->hash) {
		*k = (struct known){ .hash = hash };
		c->count++;
	}
	return k;
}

static struct known *get(struct cover *c, const struct folder *folder, const char *name)
{
	struct known *k = c->cap ? slot(c->known, c->cap, hash_of(folder, name)) : NULL;

	return k && k->hash ? k : NULL;
}

/* Those behind it that would no longer be found move up. */
static void take_out(struct cover *c, struct known *k)
{
	size_t mask = c->cap - 1, hole = (size_t)(k - c->known);

	for (size_t i = (hole + 1) & mask; c->known[i].hash; i = (i + 1) & mask) {
		size_t home = c->known[i].hash & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			c->known[hole] = c->known[i];
			hole = i;
		}
	}
	c->known[hole] = (struct known){ 0 };
	c->count--;
}

bool cover_learn(struct cover *c, struct folder *folder, const char *name)
{
	size_t before = c->count;

	return !put(c, hash_of(folder, name)) || c->count > before;
}

bool cover_forget(struct cover *c, struct folder *folder, const char *name)
{
	struct known *k = get(c, folder, name);

	if (k)
		take_out(c, k);
	return k != NULL;
}

struct folder *cover_find(struct cover *c, struct folder *folder, const char *name)
{
	struct known *k = get(c, folder, name);

	return k ? k->folder : NULL;
}

static void set_folder(struct cover *c, struct folder *f)
{
	struct known *k = put(c, hash_of(f->parent, f->name));

	if (k)
		k->folder = f;
}

/* The names known in its folders stay behind: no other folder ever has their ids. */
void cover_drop(struct cover *c, struct folder *f)
{
	struct known *k = f->parent ? get(c, f->parent, f->name) : NULL;

	if (k && k->folder == f)
		k->folder = NULL;
	drop_tree(f);
}

void cover_move(struct cover *c, struct folder *f, struct folder *to, const char *name)
{
	cover_forget(c, f->parent, f->name);
	if (strlen(name) != strlen(f->name)) {
		if (!budget_take(cost(name))) {
			c->lossy = true;
			drop_tree(f);
			return;
		}
		budget_give(cost(f->name));
	}
	free(f->name);
	f->name = mem_strdup(name);
	list_remove(&f->node);
	f->parent = to;
	list_append(&to->children, &f->node);
	set_folder(c, f);
}

void cover_take(struct cover *c, struct folder *parent, const char *name, struct cover *part)
{
	struct folder *f = take_ptr(part->root);

	for (size_t i = 0; i < part->cap; i++) {
		struct known *k = part->known[i].hash ? put(c, part->known[i].hash) : NULL;

		if (k)
			k->folder = part->known[i].folder;
	}
	c->uncovered += part->uncovered;
	c->limit = c->limit ? c->limit : part->limit;
	c->lossy |= part->lossy;
	if (f) {
		struct folder *old = cover_find(c, parent, name);

		if (old)
			cover_drop(c, old);
		f->parent = parent; /* cover_move() takes it from where it never was */
		cover_move(c, f, parent, name);
	}
	cover_free(part);
}

void cover_free(struct cover *c)
{
	if (c->root)
		drop_tree(c->root);
	budget_give(c->cap * sizeof *c->known);
	free(c->known);
	*c = (struct cover){ 0 };
}

void cover_path(struct buf *to, const char *root, const struct folder *folder, const char *name)
{
	size_t len = name ? strlen(name) + 1 : 0, start = to->len, root_len = root[1] ? strlen(root) : 0;
	char *at;

	for (const struct folder *f = folder; f->parent; f = f->parent)
		len += strlen(f->name) + 1;
	if (root_len + len == 0)
		root_len = 1; /* "/" itself */
	at = buf_reserve(to, root_len + len);
	if (!at)
		return;
	buf_commit(to, root_len + len);
	memcpy(to->data + start, root, root_len);
	at = to->data + to->len;
	/* From the end to the front. */
	for (const struct folder *f = folder; name || f->parent; name = NULL) {
		const char *part = name ? name : f->name;

		at -= strlen(part);
		memcpy(at, part, strlen(part));
		*--at = '/';
		if (!name)
			f = f->parent;
	}
}

struct scanning {
	struct cover *c;
	const struct cover_scan *how;
	struct walk walk;
	struct folder *in; /* the folder that is being read */
};

static void miss(struct cover *c, const char *limit)
{
	c->uncovered++;
	c->limit = c->limit ? c->limit : limit;
}

/* A folder that gets no mark stays in the tree, and what is below it is counted too. */
static void mark(struct scanning *s, struct folder *f, int fd)
{
	int status = notify_add(s->how->user, &f->mark, fd);

	if (status == -ENOSPC)
		miss(s->c, "fs.inotify.max_user_watches");
	else if (status == -EACCES || status == -EPERM)
		miss(s->c, "permission");
	else if (status < 0 && status != -ENOENT)
		miss(s->c, "kernel");
}

static void note_found(struct scanning *s, const char *name, bool is_dir)
{
	struct buf *found = s->how->found;
	struct found head = { s->in, is_dir, (unsigned)strlen(name) + 1 };

	if (!found)
		return;
	buf_add(found, &head, sizeof head);
	buf_add(found, name, strlen(name) + 1);
	s->c->lossy |= buf_failed(found);
}

/* Marked through a descriptor of its own before the walk reads it. */
static int enter(struct scanning *s)
{
	AUTOCLOSE int fd = openat(s->walk.dir_fd, s->walk.name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct folder *f;
	int status;

	if (fd < 0)
		return 0;
	f = folder_new(s->in, s->walk.name);
	if (!f) {
		miss(s->c, "limits.max_memory_bytes");
		return 0;
	}
	set_folder(s->c, f);
	mark(s, f, fd);
	status = walk_enter(&s->walk);
	if (status == 0)
		s->in = f;
	else if (status == -EACCES && f->mark.wd >= 0)
		miss(s->c, "permission"); /* itself it is covered; what is below is not */
	return status == -ENOMEM || status == -EMFILE || status == -ENFILE ? status : 0;
}

static bool is_folder(const struct walk *w)
{
	struct stat st;

	if (w->type != DT_UNKNOWN)
		return w->type == DT_DIR;
	return fstatat(w->dir_fd, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int scan_entry(struct scanning *s)
{
	const struct walk *w = &s->walk;
	bool is_dir;

	if (s->how->only && strcmp(s->how->only, w->name) != 0)
		return 0;
	if (!place_visible(s->how->who, w->path.data))
		return 0;
	is_dir = is_folder(w);
	put(s->c, hash_of(s->in, w->name));
	note_found(s, w->name, is_dir);
	return is_dir && s->how->recursive ? enter(s) : 0;
}

static int scan_all(struct scanning *s)
{
	int event, status = 0;

	while (status == 0 && (event = walk_next(&s->walk)) != WALK_END) {
		if (event < 0)
			return event;
		if (job_stopped(s->how->job))
			return -ECANCELED;
		if (event == WALK_ENTRY)
			status = scan_entry(s);
		else
			s->in = s->in->parent;
	}
	return status;
}

int cover_build(struct cover *c, const struct cover_scan *how, int dir_fd, const char *path)
{
	struct scanning s = { .c = c, .how = how };
	AUTOCLOSE int owned = dir_fd;
	int status;

	*c = (struct cover){ .root = folder_new(NULL, "") };
	if (!c->root)
		return -ENOMEM;
	s.in = c->root;
	mark(&s, c->root, dir_fd);
	status = walk_start(&s.walk, take_fd(&owned), path);
	if (status == 0)
		status = scan_all(&s);
	walk_done(&s.walk);
	return status;
}
