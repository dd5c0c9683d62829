/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.download_stream: a file as bytes, or as base64 in JSON with its length.
 */
#include "ops/files/download.h"

struct out {
	struct str path, path_b64, content_base64;
	int64_t bytes;
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "The file."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_BYTES(struct out, content_base64, "Its bytes."),
	R_INT(struct out, bytes, "How many."),
	FIELDS_END,
};

static void reply(struct call *call, const struct download_content *content)
{
	struct out out = { content->path, content->path_b64, content->bytes, (int64_t)content->bytes.len };

	call_reply(call, &out);
}

static void files_download_stream(struct call *call)
{
	download_start(call, reply);
}

const struct op op_files_download_stream = {
	.id = "files.download_stream",
	.endpoint = "files_download_stream",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_RAW,
	.method = "GET",
	.path = "/files/download-stream",
	.since = "0.1.0",
	.summary = "Read a file of any size.",
	.description = download_description,
	.example = { .args = JSON_TEXT({ "path" : "demo/notes.txt" }),
		.file = "notes.txt",
		.abx = "cat demo/notes.txt" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = download_in_fields,
	.params_size = sizeof(struct download_in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.raw = &download_raw,
	.errors = download_errors,
	.limits = download_limits,
	.lane = OP_LANE_SHORT,
	.start = files_download_stream,
};
