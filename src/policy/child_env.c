/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/child_env.h"

#include <stdio.h>

enum { FIRST_ITEMS = 32 };

void child_env_init(struct child_env *env, struct arena *arena)
{
	*env = (struct child_env){ .arena = arena };
}

/* Its place among the first `among` items, or that number. */
static size_t find_among(const struct child_env *env, size_t among, const char *name)
{
	size_t len = strlen(name);
	size_t i = 0;

	while (i < among && (strncmp(env->items[i], name, len) != 0 || env->items[i][len] != '='))
		i++;
	return i;
}

static size_t find(const struct child_env *env, const char *name)
{
	return find_among(env, env->count, name);
}

/* One place more than used: the NULL at the end. */
static bool make_room(struct child_env *env)
{
	size_t cap = env->cap ? env->cap * 2 : FIRST_ITEMS;
	const char **items;

	if (env->count + 1 < env->cap)
		return true;
	items = arena_array(env->arena, const char *, cap);
	if (!items) {
		env->failed = true;
		return false;
	}
	if (env->count)
		memcpy(items, env->items, env->count * sizeof *items);
	env->items = items;
	env->cap = cap;
	return true;
}

void child_env_put(struct child_env *env, const char *name, struct str value)
{
	child_env_put_among(env, env->count, name, value);
}

void child_env_put_among(struct child_env *env, size_t among, const char *name, struct str value)
{
	size_t len = strlen(name);
	size_t at;
	char *item;

	if (env->failed || !make_room(env))
		return;
	item = arena_alloc(env->arena, len + 1 + value.len + 1);
	if (!item) {
		env->failed = true;
		return;
	}
	memcpy(item, name, len);
	item[len] = '=';
	if (value.len)
		memcpy(item + len + 1, value.p, value.len);
	at = find_among(env, among, name);
	if (at == among)
		at = env->count++;
	env->items[at] = item;
}

void child_env_drop(struct child_env *env, const char *name)
{
	size_t at = find(env, name);

	if (at == env->count)
		return;
	env->count--;
	memmove(&env->items[at], &env->items[at + 1], (env->count - at) * sizeof *env->items);
	env->items[env->count] = NULL;
}

const char *child_env_get(const struct child_env *env, const char *name)
{
	size_t at = find(env, name);

	return at < env->count ? env->items[at] + strlen(name) + 1 : NULL;
}

const char *const *child_env_items(const struct child_env *env)
{
	static const char *const none[] = { NULL };

	if (env->failed)
		return NULL;
	return env->items ? env->items : none;
}

bool child_env_matches(struct str name, const char *pattern)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return name.len >= len - 1 && memcmp(name.p, pattern, len - 1) == 0;
	return str_is(name, pattern);
}

bool child_env_valid_name(struct str name)
{
	return name.len > 0 && !str_has(name, '=') && !str_has(name, '\0');
}
