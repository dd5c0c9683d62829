/* SPDX-License-Identifier: Apache-2.0 */
#include "base/users.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MAX = 4 * 1024 * 1024, PASSWD_PARTS = 7, GROUP_PARTS = 4 };

struct group_line {
	const char *name, *members; /* separated by commas */
	gid_t gid;
};

struct users {
	char *passwd, *group; /* the texts, cut into strings */
	struct user *users;
	struct group_line *groups;
	size_t user_count, group_count;
};

/* The whole file, terminated; empty when it cannot be read or is absurdly large. */
static char *read_file(const char *path)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	AUTOBUF struct buf text;
	ssize_t len = fd >= 0 ? 1 : 0;

	buf_init(&text, FILE_MAX);
	while (len != 0) {
		char *to = buf_reserve(&text, 16 * 1024);

		len = to ? read(fd, to, 16 * 1024) : 0;
		if (len < 0 && errno == EINTR)
			continue;
		buf_commit(&text, len > 0 ? (size_t)len : 0);
		if (len < 0)
			len = 0;
	}
	return buf_failed(&text) || text.len == 0 ? mem_strdup("") : mem_strdup(text.data);
}

/* Cuts a line at its colons; how many parts it has, at most max. */
static size_t cut(char *line, char **parts, size_t max)
{
	size_t count = 0;

	for (char *at = line; at && count < max; count++) {
		parts[count] = at;
		at = strchr(at, ':');
		if (at)
			*at++ = '\0';
	}
	return count;
}

static bool read_id(const char *text, uint32_t *ret_id)
{
	uint64_t id;

	if (str_to_u64(str_of(text), &id) < 0 || id >= UINT32_MAX)
		return false;
	*ret_id = (uint32_t)id;
	return true;
}

static size_t count_lines(const char *text)
{
	size_t count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void read_passwd(struct users *u)
{
	char *rest = u->passwd;

	u->users = mem_alloc(count_lines(rest) * sizeof *u->users);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *parts[PASSWD_PARTS];
		struct user *user = &u->users[u->user_count];

		if (cut(line, parts, PASSWD_PARTS) == PASSWD_PARTS && parts[0][0] && read_id(parts[2], &user->uid) &&
			read_id(parts[3], &user->gid)) {
			user->name = parts[0];
			user->home = parts[5];
			user->shell = parts[6];
			u->user_count++;
		}
	}
}

static void read_group(struct users *u)
{
	char *rest = u->group;

	u->groups = mem_alloc(count_lines(rest) * sizeof *u->groups);
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *parts[GROUP_PARTS];
		struct group_line *group = &u->groups[u->group_count];

		if (cut(line, parts, GROUP_PARTS) == GROUP_PARTS && parts[0][0] && read_id(parts[2], &group->gid)) {
			group->name = parts[0];
			group->members = parts[3];
			u->group_count++;
		}
	}
}

struct users *users_load_from(const char *passwd, const char *group)
{
	struct users *u = mem_new(struct users);

	u->passwd = read_file(passwd);
	u->group = read_file(group);
	read_passwd(u);
	read_group(u);
	return u;
}

struct users *users_load(void)
{
	return users_load_from("/etc/passwd", "/etc/group");
}

void users_free(struct users *u)
{
	if (!u)
		return;
	free(u->passwd);
	free(u->group);
	free(u->users);
	free(u->groups);
	free(u);
}

const struct user *users_by_id(const struct users *u, uid_t uid)
{
	for (size_t i = 0; i < u->user_count; i++) {
		if (u->users[i].uid == uid)
			return &u->users[i];
	}
	return NULL;
}

const struct user *users_by_name(const struct users *u, const char *name)
{
	for (size_t i = 0; i < u->user_count; i++) {
		if (strcmp(u->users[i].name, name) == 0)
			return &u->users[i];
	}
	return NULL;
}

const char *users_group_name(const struct users *u, gid_t gid)
{
	for (size_t i = 0; i < u->group_count; i++) {
		if (u->groups[i].gid == gid)
			return u->groups[i].name;
	}
	return NULL;
}

static bool has_member(const char *members, const char *name)
{
	struct str rest = str_of(members);

	while (rest.len) {
		if (str_is(str_cut(&rest, ','), name))
			return true;
	}
	return false;
}

size_t users_groups(const struct users *u, const struct user *user, gid_t *to, size_t max)
{
	size_t count = 0;

	if (max)
		to[count++] = user->gid;
	for (size_t i = 0; i < u->group_count && count < max; i++) {
		if (u->groups[i].gid != user->gid && has_member(u->groups[i].members, user->name))
			to[count++] = u->groups[i].gid;
	}
	return count;
}
