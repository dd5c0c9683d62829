/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.stat: the facts of one path, also of one that does not exist.
 */
#include "base/users.h"
#include "ops/files/files.h"

#include <errno.h>
#include <fcntl.h>

struct in {
	struct path_arg path;
	bool follow;
};

struct out {
	FILES_ENTRY_NAMES;
	int type;
	int64_t size;
	const char *permissions, *modified;
	bool exists;
	const char *owner, *group, *etag;
	struct opt_int uid, gid, inode, links;
};

/* Not followed when it is resolved: with follow=false a link that leads out is an entry like others. */
static const struct field in_fields[] = {
	P_PATH(struct in, path, F_REQUIRED | F_NOFOLLOW | F_MISSING_OK, "What to look at."),
	P_BOOL(struct in, follow, true, "Look at what a link leads to, and not at the link."),
	FIELDS_END,
};

static const struct field out_fields[] = {
	FILES_NAME_ROWS(struct out),
	R_CHOICE(struct out, type, files_types, "What kind of entry it is; unknown where there is none."),
	R_INT(struct out, size, "Bytes; 0 where there is none."),
	R_STRING(struct out, permissions, "Octal digits; empty where there is none."),
	R_STRING(struct out, modified, "When the content changed last, ISO 8601 in UTC; empty where there is none."),
	R_BOOL(struct out, exists, "Whether there is such an entry."),
	R_OPT_STRING(struct out, owner, "The owner's name, or its number."),
	R_OPT_STRING(struct out, group, "The group's name, or its number."),
	R_OPT_STRING(struct out, etag, "The tag of a file's content, for If-Match."),
	R_OPT_INT(struct out, uid, "The owner's number."),
	R_OPT_INT(struct out, gid, "The group's number."),
	R_OPT_INT(struct out, inode, "The number of the inode."),
	R_OPT_INT(struct out, links, "How many names the entry has."),
	FILES_TARGET_ROW(struct out),
	FIELDS_END,
};

static int fill_owner(struct call *call, const struct stat *st, struct out *out)
{
	struct users *users = users_load();

	out->owner = files_owner(call, users, st->st_uid);
	out->group = files_group(call, users, st->st_gid);
	users_free(users);
	out->uid = (struct opt_int){ true, st->st_uid };
	out->gid = (struct opt_int){ true, st->st_gid };
	return out->owner && out->group ? 0 : -1;
}

static int fill(struct call *call, const struct place *place, const struct stat *st, struct out *out)
{
	char etag[FILES_ETAG_SIZE];

	out->exists = true;
	out->type = files_type(st->st_mode);
	out->size = st->st_size;
	out->permissions = files_mode(call, st->st_mode);
	out->modified = files_time(call, st->st_mtim);
	out->inode = (struct opt_int){ true, (int64_t)st->st_ino };
	out->links = (struct opt_int){ true, (int64_t)st->st_nlink };
	if (S_ISREG(st->st_mode)) {
		files_etag(st, etag);
		out->etag = arena_strdup(&call->arena, etag);
	}
	if (S_ISLNK(st->st_mode))
		out->target = files_link_target(call, place->parent_fd, place->name, place->path);
	return out->permissions && out->modified ? fill_owner(call, st, out) : -1;
}

static int look(struct call *call, const struct place *place, struct out *out)
{
	const char *slash = strrchr(place->path, '/');
	struct stat st;

	out->path = str_of(place->path);
	out->path_b64 = files_exact(out->path);
	out->name = str_of(slash[1] ? slash + 1 : "/");
	out->name_b64 = files_exact(out->name);
	out->type = FILES_UNKNOWN;
	out->permissions = out->modified = "";
	if (place->missing)
		return 0;
	if (fstatat(place->parent_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_system(&call->err, errno, "'%s'", place->given);
	return fill(call, place, &st, out);
}

static int files_stat(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct place *place;
	int status;

	if (!in->follow)
		return look(call, in->path.place, call->out);
	place = place_resolve(&call->arena, call->caller, in->path.given, F_MISSING_OK, &call->err);
	if (!place)
		return -1;
	status = look(call, place, call->out);
	place_close(place);
	return status;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_FILES_NOT_DIR,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_stat = {
	.id = "files.stat",
	.endpoint = "files_stat",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/files/stat",
	.since = "0.1.0",
	.summary = "Tell the facts of a path.",
	.description = "A path that does not exist is a success with exists false.",
	.example = { .args = JSON_TEXT({ "path" : "demo/notes.txt" }), .abx = "stat demo/notes.txt" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_SHORT,
	.work = files_stat,
};
