/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.upload_stream: writes files of any size, from base64 in JSON, a raw body or a form.
 */
#include "ops/files/upload.h"

struct out {
	struct str path, path_b64;
	struct opt_int bytes;
	const char *etag;
	struct list files;
};

static const struct field file_fields[] = {
	R_TEXT(struct upload_file, path, "The file, behind its links."),
	R_OPT_BYTES(struct upload_file, path_b64, "The exact path where it is not UTF-8."),
	R_INT(struct upload_file, bytes, "How many were written."),
	R_STRING(struct upload_file, etag, "The tag of what was written, for If-Match."),
	FIELDS_END,
};

static const struct field out_fields[] = {
	R_OPT_TEXT(struct out, path, "The file, behind its links; not of a form."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_OPT_INT(struct out, bytes, "How many were written; not of a form."),
	R_OPT_STRING(struct out, etag, "The tag of what was written, for If-Match; not of a form."),
	R_OPT_OBJECTS(struct out, files, struct upload_file, "UploadedFile", file_fields,
		"The files of a form, in its order."),
	FIELDS_END,
};

static void reply(struct call *call, const struct upload_file *files, size_t count)
{
	struct out out = {
		.path = files->path, .path_b64 = files->path_b64, .bytes = { true, files->bytes }, .etag = files->etag
	};

	if (call->http.multipart)
		out = (struct out){ .files = { (void *)files, count } };
	call_reply(call, &out);
}

static void files_upload_stream(struct call *call)
{
	upload_start(call, reply);
}

static const struct limit limits[] = {
	{ "max_bytes", UPLOAD_MAX_DEFAULT, UPLOAD_MAX_CAP, ERR_LIMIT_FILE,
		"Largest content; in JSON max_body_bytes holds too." },
	{ "max_files", UPLOAD_FILES_DEFAULT, 1000, ERR_LIMIT_FILE, "Most files of one form." },
	{ 0 },
};

static const struct raw raw = { .request = true, .multipart = true };

const struct op op_files_upload_stream = {
	.id = "files.upload_stream",
	.endpoint = "files_upload_stream",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/files/upload-stream",
	.since = "0.1.0",
	.summary = "Write files of any size.",
	.description =
		"As files.upload. The body may also be multipart/form-data, with path the folder for its files: they appear together, or none does.",
	.example = { .args = JSON_TEXT({ "path" : "demo/sent/hello.txt", "parents" : true }), .file = "hello.txt" },
	.effects = OP_WRITES,
	.params = upload_in_fields,
	.params_size = sizeof(struct upload_in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.raw = &raw,
	.errors = upload_errors,
	.limits = limits,
	.lane = OP_LANE_SHORT,
	.permit = upload_permit,
	.start = files_upload_stream,
};
