/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/user.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUPS_MAX = 256 };

const struct user_files user_system = { "/etc/passwd", "/etc/group" };

static void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static bool next_line(FILE *file, char **line, size_t *size, struct str *ret_line)
{
	ssize_t len = getline(line, size, file);

	if (len < 0)
		return false;
	if (len && (*line)[len - 1] == '\n')
		len--;
	*ret_line = (struct str){ *line, (size_t)len };
	return true;
}

static bool in_commas(struct str list, const char *word)
{
	while (list.len) {
		if (str_is(str_cut(&list, ','), word))
			return true;
	}
	return false;
}

static void add_group(gid_t *groups, size_t *count, gid_t gid)
{
	for (size_t i = 0; i < *count; i++) {
		if (groups[i] == gid)
			return;
	}
	if (*count < GROUPS_MAX)
		groups[(*count)++] = gid;
}

/* name:password:gid:member,member */
static void read_groups(const char *path, struct hold *hold, struct run_as *user)
{
	CLEANUP(cleanup_file) FILE *file = fopen(path, "re");
	gid_t *groups = hold_array(hold, gid_t, GROUPS_MAX);
	AUTOFREE char *line = NULL;
	size_t size = 0;
	struct str rest;

	add_group(groups, &user->group_count, user->gid);
	while (file && next_line(file, &line, &size, &rest)) {
		uint64_t gid;

		str_cut(&rest, ':');
		str_cut(&rest, ':');
		if (str_to_u64(str_cut(&rest, ':'), &gid) == 0 && gid < UINT32_MAX && in_commas(rest, user->name))
			add_group(groups, &user->group_count, (gid_t)gid);
	}
	user->groups = groups;
}

/* name:password:uid:gid:comment:home:shell */
static bool parse(struct str line, struct hold *hold, const char *name, uid_t uid, struct run_as *ret_user)
{
	struct str own = str_cut(&line, ':');
	uint64_t own_uid, gid;
	struct str home;

	str_cut(&line, ':');
	if (own.len == 0 || str_to_u64(str_cut(&line, ':'), &own_uid) < 0 || own_uid >= UINT32_MAX ||
		str_to_u64(str_cut(&line, ':'), &gid) < 0 || gid >= UINT32_MAX)
		return false;
	if (name ? !str_is(own, name) : own_uid != uid)
		return false;
	str_cut(&line, ':');
	home = str_cut(&line, ':');
	*ret_user = (struct run_as){ .name = hold_text(hold, own),
		.uid = (uid_t)own_uid,
		.gid = (gid_t)gid,
		.home = home.len ? hold_text(hold, home) : "/",
		.shell = line.len ? hold_text(hold, line) : "/bin/sh" };
	return true;
}

static const struct run_as *find(const struct user_files *files, struct hold *hold, const char *name, uid_t uid)
{
	CLEANUP(cleanup_file) FILE *file = fopen(files->passwd, "re");
	struct run_as *user = hold_new(hold, struct run_as);
	AUTOFREE char *line = NULL;
	size_t size = 0;
	struct str text;

	while (file && next_line(file, &line, &size, &text)) {
		if (parse(text, hold, name, uid, user)) {
			read_groups(files->group, hold, user);
			return user;
		}
	}
	return NULL;
}

const struct run_as *user_by_name(const struct user_files *files, struct hold *hold, const char *name)
{
	return find(files, hold, name, 0);
}

const struct run_as *user_by_uid(const struct user_files *files, struct hold *hold, uid_t uid)
{
	return find(files, hold, NULL, uid);
}
