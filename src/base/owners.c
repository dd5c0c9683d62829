/* SPDX-License-Identifier: Apache-2.0 */
#include "base/owners.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MAX = 4 * 1024 * 1024, STEP = 16 * 1024 };

struct owner {
	uint32_t id;
	const char *name;
};

/* Both files begin with name:password:number: */
struct table {
	char *text; /* cut into strings */
	struct owner *owners;
	size_t count;
};

struct owners {
	struct table users, groups;
};

/* The whole file, terminated; empty when it cannot be read or is absurdly large. */
static char *read_file(const char *path)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	AUTOBUF struct buf text;
	ssize_t len = fd < 0 ? 0 : 1;

	buf_init(&text, FILE_MAX);
	while (len > 0 || (len < 0 && errno == EINTR)) {
		char *to = buf_reserve(&text, STEP);

		len = to ? read(fd, to, STEP) : 0;
		buf_commit(&text, len > 0 ? (size_t)len : 0);
	}
	return mem_strdup(buf_failed(&text) || text.len == 0 ? "" : text.data);
}

static bool read_line(char *line, struct owner *ret_owner)
{
	char *name = strsep(&line, ":"), *password = strsep(&line, ":"), *number = strsep(&line, ":");
	uint64_t id;

	if (!name[0] || !password || !line || str_to_u64(str_of(number), &id) < 0 || id >= UINT32_MAX)
		return false;
	*ret_owner = (struct owner){ (uint32_t)id, name };
	return true;
}

static void load(struct table *t, const char *path)
{
	size_t lines = 1;
	char *rest;

	t->text = rest = read_file(path);
	for (const char *at = rest; *at; at++)
		lines += *at == '\n';
	t->owners = mem_alloc(lines * sizeof *t->owners);
	for (char *line; (line = strsep(&rest, "\n"));)
		t->count += read_line(line, &t->owners[t->count]);
}

static const char *find(const struct table *t, uint32_t id)
{
	for (size_t i = 0; i < t->count; i++) {
		if (t->owners[i].id == id)
			return t->owners[i].name;
	}
	return NULL;
}

struct owners *owners_load_from(const char *passwd, const char *group)
{
	struct owners *o = mem_new(struct owners);

	load(&o->users, passwd);
	load(&o->groups, group);
	return o;
}

struct owners *owners_load(void)
{
	return owners_load_from("/etc/passwd", "/etc/group");
}

void owners_free(struct owners *o)
{
	if (!o)
		return;
	free(o->users.text);
	free(o->users.owners);
	free(o->groups.text);
	free(o->groups.owners);
	free(o);
}

const char *owners_user(const struct owners *o, uid_t uid)
{
	return find(&o->users, uid);
}

const char *owners_group(const struct owners *o, gid_t gid)
{
	return find(&o->groups, gid);
}
