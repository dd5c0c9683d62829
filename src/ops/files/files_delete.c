/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.delete: removes a file, a link or a folder with all below it.
 *
 * A folder is looked through first: what can be known to fail (mount points, protected
 * entries, roots) is refused before anything is removed.
 */
#include "ops/files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct in {
	struct path_arg path;
	bool recursive;
};

struct out {
	struct str path, path_b64;
	bool deleted;
};

static const struct field in_fields[] = {
	P_PATH(struct in, path, F_REQUIRED | F_WRITE | F_NOFOLLOW, "File, link or folder to delete."),
	P_BOOL(struct in, recursive, true, "Delete a folder with all below it; when false it has to be empty."),
	FIELDS_END,
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "What was deleted."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_BOOL(struct out, deleted, "True."),
	FIELDS_END,
};

static int delete_folder(struct call *call, const struct place *place, bool recursive)
{
	if (recursive)
		return tree_remove(call, place->parent_fd, place->name, place->path, &call->err);
	if (unlinkat(place->parent_fd, place->name, AT_REMOVEDIR) < 0)
		return err_system(&call->err, errno, "cannot delete '%s'", place->given);
	return 0;
}

/* What is refused before anything is removed. */
static int look(struct call *call, struct stat *ret_st)
{
	const struct in *in = call_in(call, struct in);
	const struct place *place = in->path.place;

	if (files_check_no_root(call, place, &call->err) < 0 || files_lstat(place, ret_st, &call->err) < 0)
		return -1;
	return in->recursive && S_ISDIR(ret_st->st_mode) ? tree_check(call, place, &call->err) : 0;
}

static int permit(struct call *call)
{
	struct stat st;

	if (!call_in(call, struct in)->path.place || look(call, &st) == 0)
		return 0;
	return call->err.code == ERR_FILES_NOT_FOUND ? 0 : -1;
}

static int files_delete(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	const struct place *place = in->path.place;
	struct stat st;

	if (look(call, &st) < 0)
		return -1;
	if (S_ISDIR(st.st_mode)) {
		if (delete_folder(call, place, in->recursive) < 0)
			return -1;
	} else if (unlinkat(place->parent_fd, place->name, 0) < 0) {
		return err_system(&call->err, errno, "cannot delete '%s'", place->given);
	}
	out->path = str_of(place->path);
	out->path_b64 = files_exact(out->path);
	out->deleted = true;
	return 0;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_NOT_DIR,
	ERR_FILES_NOT_EMPTY,
	ERR_FILES_BUSY,
	ERR_FILES_PERMISSION,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_delete = {
	.id = "files.delete",
	.endpoint = "files_delete",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "DELETE",
	.path = "/files",
	.since = "0.1.0",
	.summary = "Delete a file or a folder.",
	.description =
		"Links are removed and never followed. Roots, what holds one, mount points and what holds a protected entry are "
		"refused before anything is removed. For a mount point, and when it fails in the middle, the details name the first path "
		"that is left.",
	.example = { .args = JSON_TEXT({ "path" : "demo/old.txt" }), .abx = "rm demo/old.txt" },
	.effects = OP_WRITES,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.permit = permit,
	.work = files_delete,
};
