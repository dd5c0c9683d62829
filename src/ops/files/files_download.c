/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.download: a file as base64 in JSON, or as bytes.
 */
#include "ops/files/download.h"

struct out {
	struct str path, path_b64, content_base64;
};

static const struct field out_fields[] = {
	R_TEXT(struct out, path, "The file."),
	R_OPT_BYTES(struct out, path_b64, "The exact path where it is not UTF-8."),
	R_BYTES(struct out, content_base64, "Its bytes."),
	FIELDS_END,
};

static void reply(struct call *call, const struct download_content *content)
{
	struct out out = { content->path, content->path_b64, content->bytes };

	call_reply(call, &out);
}

static void files_download(struct call *call)
{
	download_start(call, reply);
}

const struct op op_files_download = {
	.id = "files.download",
	.endpoint = "download",
	.group = "file_ops",
	.scope = "files:read",
	.kind = OP_RAW,
	.method = "GET",
	.path = "/download",
	.since = "0.1.0",
	.summary = "Read a whole file.",
	.description = download_description,
	.example = { .args = JSON_TEXT({ "path" : "demo/src/hello.py" }), .file = "hello.py" },
	.effects = OP_READS | OP_IDEMPOTENT,
	.params = download_in_fields,
	.params_size = sizeof(struct download_in),
	.result = out_fields,
	.result_size = sizeof(struct out),
	.raw = &download_raw,
	.errors = download_errors,
	.limits = download_limits,
	.lane = OP_LANE_SHORT,
	.start = files_download,
};
