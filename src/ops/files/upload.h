/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes from the caller into files, for files.upload and files.upload_stream.
 *
 * JSON: decoded already, one job writes it.  A raw body or multipart/form-data: two buffers
 * take turns, so that one fills from the network while a worker writes the other.  Files
 * appear when all has arrived and is written, or not at all.
 */
#pragma once

#include "call/call.h"

struct upload_in {
	struct path_arg path;
	struct str content_base64;
	const char *mode;
	bool create_only, parents;
	bool append; /* of files.write alone */
};

struct upload_file {
	struct str path, path_b64;
	int64_t bytes;
	const char *etag;
};

enum { UPLOAD_MAX_DEFAULT = 104857600, UPLOAD_FILES_DEFAULT = 100 };
#define UPLOAD_MAX_CAP (INT64_C(1) << 50)

extern const struct field upload_in_fields[];
extern const enum err_code upload_errors[];

/* Of what was written; of multipart as many as there were files. */
typedef void upload_reply_fn(struct call *call, const struct upload_file *files, size_t count);

void upload_start(struct call *call, upload_reply_fn *reply);
int upload_permit(struct call *call) MUST_CHECK; /* op->permit: the mode */
