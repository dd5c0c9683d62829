/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.copy: a file or a folder with all below, a second time.
 *
 * It is made under a temporary name beside the destination and renamed when it is whole.
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
	int64_t entries, bytes, skipped;
};

static const struct field in_fields[] = {
	P_PATH(struct in, source, F_REQUIRED, "What to copy; a link is followed, links below it are copied as links."),
	P_PATH(struct in, destination, F_REQUIRED | F_WRITE | F_NOFOLLOW | F_MISSING_OK,
		"The copy's path, not the folder to put it in."),
	P_BOOL(struct in, overwrite, true, "Replace a file or an empty folder that is there."),
	P_BOOL(struct in, parents, false, "Make missing folders above the destination."), FIELDS_END
};

static const struct field out_fields[] = { R_TEXT(struct out, source, "What was copied."),
	R_OPT_BYTES(struct out, source_b64, "The exact path where it is not UTF-8."),
	R_TEXT(struct out, destination, "Where the copy is."),
	R_OPT_BYTES(struct out, destination_b64, "The exact path where it is not UTF-8."),
	R_INT(struct out, entries, "How many files, folders and links were copied."),
	R_INT(struct out, bytes, "The bytes of the files among them."),
	R_INT(struct out, skipped, "How many devices, FIFOs and sockets were left out."), FIELDS_END };

static int fail(const struct in *in, int number, struct err *err)
{
	return err_system(
		err, number, "cannot copy '%s' to '%s'", in->source.place->given, in->destination.place->given);
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = folder[1] ? strlen(folder) : 0;

	return strncmp(path, folder, len) == 0 && path[len] == '/';
}

/* What the rename at the end would say, before anything is copied for it.  1: the two are the same entry. */
static int check_there(const struct in *in, const struct stat *from, struct err *err)
{
	const struct place *to = in->destination.place;
	struct stat st;

	if (to->missing)
		return 0;
	if (fstatat(to->parent_fd, to->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fail(in, errno, err);
	if (st.st_dev == from->st_dev && st.st_ino == from->st_ino)
		return 1;
	if (!in->overwrite)
		return fail(in, EEXIST, err);
	if (S_ISDIR(st.st_mode) != S_ISDIR(from->st_mode))
		return fail(in, S_ISDIR(st.st_mode) ? EISDIR : ENOTDIR, err);
	return 0;
}

static int permit(struct call *call)
{
	const struct place *from = call_in(call, struct in)->source.place,
			   *to = call_in(call, struct in)->destination.place;
	struct stat st;

	if (to && files_check_no_root(call, to, &call->err) < 0)
		return -1;
	if (!from || !to || files_lstat(from, &st, &call->err) < 0 || !S_ISDIR(st.st_mode) ||
		is_below(to->path, from->path))
		return 0;
	return tree_check_copied(call, from, to->path, &call->err);
}

static int check(struct call *call, const struct in *in, const struct stat *st)
{
	struct place *from = in->source.place, *to = in->destination.place;

	if (!S_ISDIR(st->st_mode) && !S_ISREG(st->st_mode) && !S_ISLNK(st->st_mode))
		return err_set(&call->err, ERR_FILES_NOT_REGULAR, "'%s' is not a regular file", from->given);
	if (files_check_no_root(call, to, &call->err) < 0)
		return -1;
	if (S_ISDIR(st->st_mode) && is_below(to->path, from->path))
		return err_set(&call->err, ERR_ARGS_INVALID, "cannot copy '%s' into itself", from->given);
	if (to->missing && !in->parents)
		return err_system(&call->err, ENOENT, "'%s'", to->given);
	if (to->wants_folder && !S_ISDIR(st->st_mode))
		return files_refuse_slash(from, to, &call->err);
	return check_there(in, st, &call->err);
}

static void take_back(int dir_fd, const char *name, bool is_folder)
{
	struct err unused;

	if (is_folder)
		(void)!tree_remove(NULL, dir_fd, name, name, &unused);
	else
		unlinkat(dir_fd, name, 0);
}

static int copy(struct call *call, const struct in *in, bool is_folder, struct copy_rules *rules)
{
	const struct place *from = in->source.place;
	struct place *to = in->destination.place;
	struct copy_from what = { .dir_fd = from->parent_fd, .name = from->name, .path = from->path };
	AUTOCLOSE int nearest_fd = to->missing ? place_open_nearest(to) : -1;
	const int stage_fd = to->missing ? nearest_fd : to->parent_fd;
	char temp[FILES_TEMP_SIZE];
	AUTOLEFT struct leftover left = { 0 };
	int status;

	if (stage_fd < 0)
		return fail(in, -stage_fd, &call->err);
	files_temp_name(temp);
	left = leftover_note(stage_fd, temp);
	if (copy_tree(call, &what, stage_fd, temp, rules, &call->err) < 0)
		return -1;
	/* Missing folders above are made when all is well, and not before. */
	if (place_make_parents(to, 0777, &call->err) == 0) {
		status = rename_entry(stage_fd, temp, to, in->overwrite, is_folder);
		if (status == 0)
			return 0;
		fail(in, -status, &call->err);
	}
	take_back(stage_fd, temp, is_folder);
	return -1;
}

static int files_copy(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	struct copy_rules rules = { .to_path = in->destination.place->path };
	struct stat st;
	int status;

	if (files_lstat(in->source.place, &st, &call->err) < 0)
		return -1;
	status = check(call, in, &st);
	if (status < 0 || (status == 0 && copy(call, in, S_ISDIR(st.st_mode), &rules) < 0))
		return -1;
	out->source = str_of(in->source.place->path);
	out->source_b64 = files_exact(out->source);
	out->destination = str_of(in->destination.place->path);
	out->destination_b64 = files_exact(out->destination);
	out->entries = rules.entries;
	out->bytes = rules.bytes;
	out->skipped = rules.skipped;
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
	ERR_FILES_NOT_REGULAR,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_copy = {
	.id = "files.copy",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/copy",
	.since = "0.1.0",
	.summary = "Copy a file or a folder.",
	.description =
		"The copy appears whole or not at all. Modes, times, attributes of users (user.*), access lists, holes, links and hard links "
		"within it are kept, and blocks are shared, where the file system can; setuid and setgid bits are not. What the caller may not see is left out. A copy onto "
		"itself changes nothing.",
	.example = { .args = JSON_TEXT({ "source" : "demo/notes.txt", "destination" : "demo/notes-copy.txt" }) },
	.effects = OP_WRITES,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_LONG,
	.permit = permit,
	.work = files_copy,
};
