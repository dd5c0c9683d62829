/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.list: the entries of a folder, sorted by name; recursively, each folder's entries
 * follow the folder.
 *
 * Of a folder with more names than may be answered only the first ones are kept while it is
 * read.  At most `depth` folders are open at once.
 */
#include "base/budget.h"
#include "base/users.h"
#include "ops/files/files.h"
#include "ops/files/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, ENTRIES_MAX = 100000, LIST_FIRST = 64 };

struct in {
	struct path_arg path;
	bool recursive, hidden;
	int64_t depth, max_entries;
};

struct entry {
	FILES_ENTRY_NAMES;
	int type;
	int64_t size;
	const char *modified, *mode, *owner, *group;
};

struct out {
	struct str path, path_b64;
	struct list entries;
	bool truncated;
};

static const struct field in_fields[] = {
	P_PATH(struct in, path, F_REQUIRED, "Folder to list."),
	P_BOOL(struct in, recursive, false, "List what is in the folders below too."),
	P_INT(struct in, depth, 3, 1, DEPTH_MAX, "How many levels to list when recursive; 1 is the folder alone."),
	P_INT(struct in, max_entries, 1000, 1, ENTRIES_MAX, "Most entries to answer."),
	P_BOOL(struct in, hidden, true, "List names that begin with a dot too."),
	FIELDS_END,
};

static const struct field entry_fields[] = {
	FILES_NAME_ROWS(struct entry),
	R_CHOICE(struct entry, type, files_types, "What kind of entry it is; links are not followed."),
	R_INT(struct entry, size, "Bytes."),
	R_STRING(struct entry, modified, "When the content changed last, ISO 8601 in UTC."),
	R_STRING(struct entry, mode, "Permissions as octal digits."),
	R_STRING(struct entry, owner, "The owner's name, or its number."),
	R_STRING(struct entry, group, "The group's name, or its number."),
	FILES_TARGET_ROW(struct entry),
	FIELDS_END,
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "The folder."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_OBJECTS(struct out, entries, struct entry, "FileEntry", entry_fields, "The entries, sorted by name."),
	R_BOOL(struct out, truncated, "Whether there are more entries than max_entries."),
	FIELDS_END,
};

/* One owner after the other is the same in nearly every folder. */
struct last_name {
	bool set;
	unsigned id;
	const char *name;
};

struct listing {
	struct call *call;
	const struct in *in;
	struct out *out;
	struct users *users;
	struct last_name owner, group;
	size_t cap;
};

/* The entries are one array that grows in place, which an arena cannot. */
static void free_entries(struct call *call)
{
	struct listing *l = call->state;

	budget_give(l->cap * sizeof(struct entry));
	free(l->out->entries.items);
}

static int grow(struct listing *l)
{
	size_t cap = l->cap ? MIN(l->cap * 2, ENTRIES_MAX) : LIST_FIRST, more = (cap - l->cap) * sizeof(struct entry);
	struct entry *grown;

	if (!budget_take(more))
		return err_set(&l->call->err, ERR_BUSY, "memory is used up: ask for fewer entries");
	grown = realloc(l->out->entries.items, cap * sizeof *grown);
	if (!grown) {
		budget_give(more);
		return err_set(&l->call->err, ERR_BUSY, "memory is used up: ask for fewer entries");
	}
	l->out->entries.items = grown;
	l->cap = cap;
	return 0;
}

static struct entry *new_entry(struct listing *l)
{
	struct list *list = &l->out->entries;

	if (list->count == l->cap && grow(l) < 0)
		return NULL;
	return &((struct entry *)list->items)[list->count];
}

static const char *owner(struct listing *l, uid_t uid)
{
	if (!l->owner.set || l->owner.id != uid)
		l->owner = (struct last_name){ true, uid, files_owner(l->call, l->users, uid) };
	return l->owner.name;
}

static const char *group(struct listing *l, gid_t gid)
{
	if (!l->group.set || l->group.id != gid)
		l->group = (struct last_name){ true, gid, files_group(l->call, l->users, gid) };
	return l->group.name;
}

/* Joins a folder's path and a name; the name is a part of it. */
static const char *join(struct call *call, const char *folder, const char *name)
{
	size_t folder_len = folder[1] ? strlen(folder) : 0, len = strlen(name);
	char *path = call_alloc(call, folder_len + len + 2);

	if (!path)
		return NULL;
	memcpy(path, folder, folder_len);
	path[folder_len] = '/';
	memcpy(path + folder_len + 1, name, len + 1);
	return path;
}

static int fill(
	struct listing *l, struct entry *e, int dir_fd, const char *path, const char *name, const struct stat *st)
{
	*e = (struct entry){
		.path = str_of(path),
		.name = str_of(path + strlen(path) - strlen(name)),
		.type = files_type(st->st_mode),
		.size = st->st_size,
		.modified = files_time(l->call, st->st_mtim),
		.mode = files_mode(l->call, st->st_mode),
		.owner = owner(l, st->st_uid),
		.group = group(l, st->st_gid),
	};
	e->path_b64 = files_exact(e->path);
	e->name_b64 = files_exact(e->name);
	if (S_ISLNK(st->st_mode))
		e->target = files_link_target(l->call, dir_fd, name, path);
	return e->modified && e->mode && e->owner && e->group ? 0 : -1;
}

static int list_folder(struct listing *l, int dir_fd, const char *path, int64_t depth);

/* A folder that may not be looked into, or has gone, stays an entry without any below it. */
static int list_below(struct listing *l, int dir_fd, const char *name, const char *path, int64_t depth)
{
	AUTOCLOSE int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? err_system(&l->call->err, errno, "'%s'", path) : 0;
	return list_folder(l, fd, path, depth);
}

static bool is_full(struct listing *l)
{
	if ((int64_t)l->out->entries.count < l->in->max_entries)
		return false;
	l->out->truncated = true;
	return true;
}

static int list_entry(struct listing *l, int dir_fd, const char *folder, const char *name, int64_t depth)
{
	const char *path = join(l->call, folder, name);
	struct entry *e;
	struct stat st;

	if (!path)
		return -1;
	if (!place_visible(l->call->caller, path) || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0; /* denied, or gone meanwhile */
	if (is_full(l))
		return 0;
	e = new_entry(l);
	if (!e || fill(l, e, dir_fd, path, name, &st) < 0)
		return -1;
	l->out->entries.count++;
	return S_ISDIR(st.st_mode) && depth > 1 ? list_below(l, dir_fd, name, path, depth - 1) : 0;
}

static int list_names(struct listing *l, int dir_fd, const char *path, const struct names *names, int64_t depth)
{
	for (size_t i = 0; i < names->count && !l->out->truncated; i++) {
		if (call_stopped(l->call))
			return err_set(&l->call->err, ERR_BUSY, "stopped before the end");
		if (list_entry(l, dir_fd, path, names_get(names, i), depth) < 0)
			return -1;
	}
	if (names->more)
		l->out->truncated = true;
	return 0;
}

static int list_folder(struct listing *l, int dir_fd, const char *path, int64_t depth)
{
	/* Some of the names may be denied, which is rare: they only make the answer shorter. */
	size_t most = (size_t)l->in->max_entries - l->out->entries.count + 1;
	struct names names;
	int status = names_read_sorted(&names, dir_fd, most, l->in->hidden);

	if (status < 0)
		return err_system(&l->call->err, -status, "cannot list '%s'", path);
	status = list_names(l, dir_fd, path, &names, depth);
	names_free(&names);
	return status;
}

static int files_list(struct call *call)
{
	struct listing *l = call_new(call, struct listing);
	const struct place *place = call_in(call, struct in)->path.place;
	AUTOCLOSE int fd = place_open_dir(place);
	int status;

	if (fd < 0)
		return err_system(&call->err, -fd, "'%s'", place->given);
	if (!l)
		return -1;
	*l = (struct listing){ .call = call, .in = call_in(call, struct in), .out = call_out(call, struct out) };
	call->state = l;
	call->on_free = free_entries;
	l->out->path = str_of(place->path);
	l->out->path_b64 = files_exact(l->out->path);
	l->users = users_load();
	status = list_folder(l, fd, place->path, l->in->recursive ? l->in->depth : 1);
	users_free(l->users);
	return status;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_list = {
	.id = "files.list",
	.endpoint = "files_list",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/files/list",
	.since = "0.1.0",
	.summary = "List a folder.",
	.description = "Links are listed and not followed; the target of one that leads outside the roots is not told.",
	.example = { .args = JSON_TEXT({ "path" : "demo" }), .abx = "ls demo" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_SHORT,
	.work = files_list,
};
