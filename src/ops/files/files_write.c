/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.write: a whole file or what comes behind its end, from text or base64 in JSON or a raw body.
 */
#include "ops/files/upload.h"

struct in {
	struct upload_in upload;
	struct str content;
};

struct out {
	struct str path, path_b64;
	int64_t bytes;
	const char *etag;
};

/* The members of struct upload_in, by their own names. */
static const struct field in_fields[] = { FIELD_ROW_AS(struct in, upload.path, "path", struct path_arg, FIELD_PATH,
						  "File to write.", .flags = F_REQUIRED | F_WRITE | F_MISSING_OK),
	P_TEXT(struct in, content, 0, "The text; or content_base64, or the body itself."),
	FIELD_ROW_AS(struct in, upload.content_base64, "content_base64", struct str, FIELD_BYTES, "The bytes."),
	FIELD_ROW_AS(struct in, upload.append, "append", bool, FIELD_BOOLEAN,
		"Write behind the end of what is there, all of it or nothing."),
	FIELD_ROW_AS(struct in, upload.create_only, "create_only", bool, FIELD_BOOLEAN,
		"Fail when something is there; If-None-Match: * says the same."),
	FIELD_ROW_AS(struct in, upload.mode, "mode", const char *, FIELD_STRING,
		"Permissions as octal digits, like '644'; without it those that the file has, else 666 less the umask."),
	FIELD_ROW_AS(struct in, upload.parents, "parents", bool, FIELD_BOOLEAN, "Make missing folders above the file."),
	FIELDS_END };

static const struct field out_fields[] = { R_TEXT(struct out, path, "The file, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_INT(struct out, bytes, "How many were written."),
	R_STRING(struct out, etag, "The tag of the file now, for If-Match."), FIELDS_END };

static void reply(struct call *call, const struct upload_file *files, size_t count)
{
	struct out out = { files->path, files->path_b64, files->bytes, files->etag };

	(void)count; /* always one */
	call_reply(call, &out);
}

static void files_write(struct call *call)
{
	struct in *in = call_in(call, struct in);

	if (call->http.raw_request && in->content.p) {
		err_set(&call->err, ERR_ARGS_UNKNOWN, "parameter 'content' does not go with a raw body");
		call_fail(call);
		return;
	}
	if (!call->http.raw_request && !in->content.p && !in->upload.content_base64.p) {
		err_set(&call->err, ERR_ARGS_MISSING, "parameter 'content' or 'content_base64' is missing");
		call_fail(call);
		return;
	}
	if (in->content.p)
		in->upload.content_base64 = in->content;
	upload_start(call, reply);
}

static const struct one_of one_of[] = { { { "content", "content_base64" }, true }, { { NULL }, false } };

static const struct limit limits[] = {
	{ "max_bytes", UPLOAD_MAX_DEFAULT, UPLOAD_MAX_CAP, ERR_LIMIT_FILE,
		"Largest content; in JSON max_body_bytes holds too." },
	{ 0 },
};

static const struct raw raw = { .request = true };

const struct op op_files_write = {
	.id = "files.write",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_RAW,
	.method = "PUT",
	.path = "/files/write",
	.since = "0.1.0",
	.summary = "Write a file, or to its end.",
	.description =
		"The file changes when all of it has arrived, or not at all. Mode and owner of a file that is there are kept, and a link is "
		"followed inside the roots. With If-Match only the content that the caller knows is changed.",
	.example = { .args = JSON_TEXT({ "path" : "demo/todo.txt", "content" : "buy milk" }) },
	.effects = OP_WRITES,
	.params = in_fields,
	.params_size = sizeof(struct in),
	.one_of = one_of,
	.result = out_fields,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = upload_errors,
	.limits = limits,
	.lane = OP_LANE_SHORT,
	.permit = upload_permit,
	.start = files_write,
};
