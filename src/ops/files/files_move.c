/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.move: gives an entry another name, by rename().
 *
 * Across file systems it is copied under a temporary name beside the destination, which is
 * then renamed, and only then is the source removed: until that moment the source is whole.
 */
#include "ops/files/copy.h"
#include "ops/files/leftover.h"
#include "ops/files/rename.h"
#include "ops/files/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct in {
	struct path_arg source, destination;
	bool overwrite, parents;
};

struct out {
	struct str source, source_b64, destination, destination_b64;
};

static const struct field in_fields[] = {
	P_PATH(struct in, source, F_REQUIRED | F_WRITE | F_NOFOLLOW, "What to move; a link itself, not its target."),
	P_PATH(struct in, destination, F_REQUIRED | F_WRITE | F_NOFOLLOW | F_MISSING_OK,
		"Its new path, not the folder to put it in."),
	P_BOOL(struct in, overwrite, true, "Replace a file or an empty folder that is there."),
	P_BOOL(struct in, parents, false, "Make missing folders above the destination."),
	FIELDS_END,
};

static const struct field out_fields[] = {
	R_TEXT(struct out, source, "Where it was."),
	R_OPT_BYTES(struct out, source_b64, "The exact path where it is not UTF-8."),
	R_TEXT(struct out, destination, "Where it is."),
	R_OPT_BYTES(struct out, destination_b64, "The exact path where it is not UTF-8."),
	FIELDS_END,
};

static int fail(const struct in *in, int number, struct err *err)
{
	return err_system(
		err, number, "cannot move '%s' to '%s'", in->source.place->given, in->destination.place->given);
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* What a rename onto `to` would say, before anything is copied for it. */
static int check_target(const struct in *in, bool is_folder, struct err *err)
{
	const struct place *to = in->destination.place;
	struct stat st;

	if (fstatat(to->parent_fd, to->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail(in, errno, err);
	if (!in->overwrite)
		return fail(in, EEXIST, err);
	if (S_ISDIR(st.st_mode) != is_folder)
		return fail(in, is_folder ? ENOTDIR : EISDIR, err);
	return 0;
}

static int remove_source(struct call *call, const struct place *from, bool is_folder)
{
	if (is_folder)
		return tree_remove(call, from->parent_fd, from->name, from->path, &call->err);
	if (unlinkat(from->parent_fd, from->name, 0) < 0)
		return err_system(&call->err, errno, "it was copied, but '%s' cannot be deleted", from->given);
	return 0;
}

static int move_by_copy(struct call *call, const struct in *in, bool is_folder)
{
	const struct place *from = in->source.place, *to = in->destination.place;
	struct copy_from what = { .dir_fd = from->parent_fd, .name = from->name, .path = from->path };
	char temp[FILES_TEMP_SIZE];
	AUTOLEFT struct leftover left = { 0 };
	struct err unused;
	int status;

	if (check_target(in, is_folder, &call->err) < 0 || (is_folder && tree_check(call, from, &call->err) < 0))
		return -1;
	files_temp_name(temp);
	left = leftover_note(to->parent_fd, temp);
	if (copy_tree(call, &what, to->parent_fd, temp, NULL, &call->err) < 0)
		return -1;
	status = rename_entry(to->parent_fd, temp, to, in->overwrite, is_folder);
	if (status == 0)
		return remove_source(call, from, is_folder);
	if (is_folder)
		(void)!tree_remove(NULL, to->parent_fd, temp, temp, &unused);
	else
		unlinkat(to->parent_fd, temp, 0);
	return fail(in, -status, &call->err);
}

/* What the policy says of a folder with all below it, where it is and where it will be. */
static int check_rules(struct call *call, const struct place *from, const struct place *to)
{
	if (tree_check_moved(call, from, to->path, &call->err) < 0)
		return -1;
	/* A rename takes what is mounted below along; only the rules ask to look at every entry. */
	return place_may_hold_rule(call->caller, from->path) ? tree_check(call, from, &call->err) : 0;
}

static int permit(struct call *call)
{
	const struct place *from = call_in(call, struct in)->source.place,
			   *to = call_in(call, struct in)->destination.place;
	struct stat st;

	if (from && files_check_no_root(call, from, &call->err) < 0)
		return -1;
	if (to && files_check_no_root(call, to, &call->err) < 0)
		return -1;
	if (!from || !to || files_lstat(from, &st, &call->err) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	return is_below(to->path, from->path) ? 0 : check_rules(call, from, to);
}

/* 1: there is nothing to do, the two are the same entry. */
static int check(struct call *call, const struct in *in, const struct stat *from_st)
{
	struct place *from = in->source.place, *to = in->destination.place;
	struct stat st;

	if (files_check_no_root(call, from, &call->err) < 0 || files_check_no_root(call, to, &call->err) < 0)
		return -1;
	if (S_ISDIR(from_st->st_mode) && is_below(to->path, from->path))
		return err_set(&call->err, ERR_ARGS_INVALID, "cannot move '%s' into itself", from->given);
	if (to->missing && !in->parents)
		return err_system(&call->err, ENOENT, "'%s'", to->given);
	if (to->wants_folder && !S_ISDIR(from_st->st_mode))
		return files_refuse_slash(from, to, &call->err);
	if (!to->missing && fstatat(to->parent_fd, to->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st.st_dev == from_st->st_dev && st.st_ino == from_st->st_ino)
		return 1;
	return S_ISDIR(from_st->st_mode) ? check_rules(call, from, to) : 0;
}

static int move(struct call *call, const struct in *in, bool is_folder)
{
	const struct place *from = in->source.place;
	struct place *to = in->destination.place;
	int status;

	if (place_make_parents(to, 0777, &call->err) < 0)
		return -1;
	status = rename_entry(from->parent_fd, from->name, to, in->overwrite, is_folder);
	if (status == -EXDEV)
		return move_by_copy(call, in, is_folder);
	return status < 0 ? fail(in, -status, &call->err) : 0;
}

static int files_move(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	struct stat st;
	int status;

	if (files_lstat(in->source.place, &st, &call->err) < 0)
		return -1;
	status = check(call, in, &st);
	if (status < 0 || (status == 0 && move(call, in, S_ISDIR(st.st_mode)) < 0))
		return -1;
	out->source = str_of(in->source.place->path);
	out->source_b64 = files_exact(out->source);
	out->destination = str_of(in->destination.place->path);
	out->destination_b64 = files_exact(out->destination);
	return 0;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_EXISTS,
	ERR_FILES_NOT_DIR,
	ERR_FILES_IS_DIR,
	ERR_FILES_NOT_EMPTY,
	ERR_FILES_BUSY,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_move = {
	.id = "files.move",
	.endpoint = "files_move",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/move",
	.since = "0.1.0",
	.summary = "Move or rename a file or a folder.",
	.description =
		"Within a file system it is one rename; across two the entry is copied with all that files.copy keeps, and then "
		"deleted. A failure leaves the source whole.",
	.example = { .args = JSON_TEXT({ "source" : "demo/draft.txt", "destination" : "demo/final.txt" }),
		.abx = "mv demo/draft.txt demo/final.txt" },
	.effects = OP_WRITES,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.permit = permit,
	.work = files_move,
};
