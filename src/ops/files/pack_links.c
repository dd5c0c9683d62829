/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/files/pack_links.h"

enum { FIRST = 64, LINKS_MAX = 64 << 20 };

struct slot {
	uint64_t dev, ino;
	size_t name; /* offset and one; 0 is free */
};

void pack_links_init(struct pack_links *l)
{
	*l = (struct pack_links){ 0 };
	buf_init_budgeted(&l->names, LINKS_MAX);
	buf_init_budgeted(&l->slots, LINKS_MAX);
}

void pack_links_done(struct pack_links *l)
{
	buf_free(&l->names);
	buf_free(&l->slots);
	l->cap = 0;
}

static struct slot *find(struct slot *table, size_t cap, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)((ino ^ dev << 7) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);

	while (table[i].name && (table[i].dev != dev || table[i].ino != ino))
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static bool grow(struct pack_links *l)
{
	size_t cap = l->cap ? l->cap * 2 : FIRST;
	struct slot *old = (struct slot *)l->slots.data, *table;
	struct buf grown;

	buf_init_budgeted(&grown, LINKS_MAX);
	table = (struct slot *)(void *)buf_reserve(&grown, cap * sizeof *table);
	if (!table)
		return false;
	memset(table, 0, cap * sizeof *table);
	buf_commit(&grown, cap * sizeof *table);
	for (size_t i = 0; i < l->cap; i++) {
		if (old[i].name)
			*find(table, cap, old[i].dev, old[i].ino) = old[i];
	}
	buf_free(&l->slots);
	l->slots = grown;
	l->cap = cap;
	return true;
}

const char *pack_links_name(struct pack_links *l, const struct stat *st, const char *name)
{
	struct slot *slot;

	if (l->count * 4 >= l->cap * 3 && !grow(l))
		return NULL;
	slot = find((struct slot *)l->slots.data, l->cap, st->st_dev, st->st_ino);
	if (slot->name)
		return buf_failed(&l->names) ? NULL : l->names.data + slot->name - 1;
	*slot = (struct slot){ st->st_dev, st->st_ino, l->names.len + 1 };
	buf_adds(&l->names, name);
	buf_addc(&l->names, '\0');
	l->count++;
	return NULL;
}
