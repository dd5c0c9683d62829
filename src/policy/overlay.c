/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/overlay.h"

#include "base/list.h"

#include <stdlib.h>

struct entry {
	struct list_node node;
	struct str value; /* p NULL: taken away */
	char *memory;
	char name[];
};

static struct list_node entries = { &entries, &entries };
static size_t bytes;

static struct entry *find(const char *name)
{
	LIST_EACH(node, &entries)
	{
		struct entry *entry = OWNER(node, struct entry, node);

		if (strcmp(entry->name, name) == 0)
			return entry;
	}
	return NULL;
}

static struct entry *make(const char *name)
{
	struct entry *entry = mem_alloc(sizeof *entry + strlen(name) + 1);

	memcpy(entry->name, name, strlen(name) + 1);
	list_append(&entries, &entry->node);
	bytes += strlen(name) + 1;
	return entry;
}

static void drop(struct entry *entry)
{
	bytes -= strlen(entry->name) + 1 + entry->value.len;
	list_remove(&entry->node);
	free(entry->memory);
	free(entry);
}

void overlay_set(const char *name, struct str value)
{
	struct entry *entry = find(name);

	if (!entry)
		entry = make(name);
	bytes -= entry->value.len;
	free(entry->memory);
	entry->memory = NULL;
	entry->value = (struct str){ NULL, 0 };
	if (!value.p)
		return;
	entry->memory = mem_alloc(value.len + 1);
	if (value.len)
		memcpy(entry->memory, value.p, value.len);
	entry->value = (struct str){ entry->memory, value.len };
	bytes += value.len;
}

void overlay_clear(void)
{
	while (entries.next != &entries)
		drop(OWNER(entries.next, struct entry, node));
}

size_t overlay_bytes(void)
{
	return bytes;
}

size_t overlay_growth(const char *name, struct str value)
{
	return (find(name) ? 0 : strlen(name) + 1) + value.len;
}

void overlay_apply(struct child_env *env)
{
	LIST_EACH(node, &entries)
	{
		struct entry *entry = OWNER(node, struct entry, node);

		if (entry->value.p)
			child_env_put(env, entry->name, entry->value);
		else
			child_env_drop(env, entry->name);
	}
}
