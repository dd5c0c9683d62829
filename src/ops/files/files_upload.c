/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.upload: writes a whole file, from base64 in JSON or a raw body.
 */
#include "ops/files/upload.h"

struct out {
	struct str path, path_b64;
	int64_t bytes;
	const char *etag;
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "The file, behind its links."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_INT(struct out, bytes, "How many were written."),
	R_STRING(struct out, etag, "The tag of what was written, for If-Match."),
	FIELDS_END,
};

static void reply(struct call *call, const struct upload_file *files, size_t count)
{
	struct out out = { files->path, files->path_b64, files->bytes, files->etag };

	(void)count; /* always one */
	call_reply(call, &out);
}

static void files_upload(struct call *call)
{
	upload_start(call, reply);
}

static const struct limit limits[] = {
	{ "max_bytes", UPLOAD_MAX_DEFAULT, UPLOAD_MAX_CAP, ERR_LIMIT_FILE,
		"Largest content; in JSON max_body_bytes holds too." },
	{ 0 },
};

static const struct raw raw = { .request = true };

const struct op op_files_upload = {
	.id = "files.upload",
	.endpoint = "upload",
	.group = "file_ops",
	.scope = "files:write",
	.kind = OP_RAW,
	.method = "POST",
	.path = "/upload",
	.since = "0.1.0",
	.summary = "Write a whole file.",
	.description =
		"The file appears when all of it is written, or not at all. Mode and owner of a file that is replaced are kept, and a link "
		"is followed inside the roots. With If-Match only the content that the caller knows is replaced.",
	.example = { .args = JSON_TEXT({ "path" : "demo/hello.txt", "mode" : "600" }), .file = "hello.txt" },
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
	.start = files_upload,
};
