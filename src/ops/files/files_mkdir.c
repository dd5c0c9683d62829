/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.mkdir: makes a folder, and those above it where asked.
 */
#include "ops/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct in {
	struct path_arg path;
	bool parents;
	const char *mode;
};

struct out {
	struct str path, path_b64;
	bool created;
};

static const struct field in_fields[] = {
	P_PATH(struct in, path, F_REQUIRED | F_WRITE | F_MISSING_OK, "Folder to make."),
	P_BOOL(struct in, parents, true, "Make missing folders above it too."),
	P_STRING(struct in, mode, 0,
		"Permissions of the folder as octal digits, like '755'; without it 777 less the umask."),
	FIELDS_END,
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "The folder."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_BOOL(struct out, created, "False when the folder was there already."),
	FIELDS_END,
};

/* Exactly the mode that was asked for, whatever the umask is. */
static int set_mode(const struct place *place, mode_t mode, struct err *err)
{
	AUTOCLOSE int fd = place_open_dir(place);

	if (fd < 0 || fchmod(fd, mode) < 0)
		return err_system(err, fd < 0 ? -fd : errno, "cannot set the mode of '%s'", place->given);
	return 0;
}

static int make(const struct place *place, const char *mode_text, mode_t mode, bool *ret_created, struct err *err)
{
	struct stat st;

	if (mkdirat(place->parent_fd, place->name, mode_text ? mode | S_IRUSR : mode) == 0) {
		*ret_created = true;
		return mode_text ? set_mode(place, mode, err) : 0;
	}
	if (errno != EEXIST)
		return err_system(err, errno, "cannot make '%s'", place->given);
	if (fstatat(place->parent_fd, place->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_system(err, errno, "'%s'", place->given);
	return S_ISDIR(st.st_mode) ? 0 : err_set(err, ERR_FILES_EXISTS, "'%s' is there and not a folder", place->given);
}

static int permit(struct call *call)
{
	mode_t unused;

	return files_parse_mode(call_in(call, struct in)->mode, &unused, &call->err);
}

static int files_mkdir(struct call *call)
{
	const struct in *in = call_in(call, struct in);
	struct out *out = call_out(call, struct out);
	struct place *place = in->path.place;
	mode_t mode = 0777;

	if (files_parse_mode(in->mode, &mode, &call->err) < 0)
		return -1;
	if (place->missing && !in->parents)
		return err_system(&call->err, ENOENT, "'%s'", place->given);
	if (place_make_parents(place, 0777, &call->err) < 0)
		return -1;
	if (!place->is_root && make(place, in->mode, mode, &out->created, &call->err) < 0)
		return -1;
	out->path = str_of(place->path);
	out->path_b64 = files_exact(out->path);
	return 0;
}

static const enum err_code errors[] = {
	ERR_POLICY_PATH,
	ERR_POLICY_READONLY,
	ERR_FILES_NOT_FOUND,
	ERR_FILES_EXISTS,
	ERR_FILES_NOT_DIR,
	ERR_FILES_PERMISSION,
	ERR_FILES_NO_SPACE,
	ERR_FILES_IO,
	ERR_NONE,
};

const struct op op_files_mkdir = {
	.id = "files.mkdir",
	.endpoint = "files_mkdir",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/files/mkdir",
	.since = "0.1.0",
	.summary = "Make a folder.",
	.description =
		"A folder that is there already is a success and told as not created; something else under that name is an error.",
	.example = { .args = JSON_TEXT({ "path" : "demo/new/deep", "parents" : true }),
		.abx = "mkdir -p demo/new/deep" },
	.effects = OP_WRITES | OP_IDEMPOTENT,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.errors = errors,
	.lane = OP_LANE_SHORT,
	.permit = permit,
	.work = files_mkdir,
};
