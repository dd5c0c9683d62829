/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file on its way to the caller, for files.download and files.download_stream.
 *
 * As bytes: read from the page cache on the loop where they are there (RWF_NOWAIT), else by a
 * worker; never more than was announced, and a file that got shorter breaks the connection
 * (R63).  As JSON: the whole file in memory, within the op's max_bytes (R97).
 */
#pragma once

#include "call/call.h"

struct download_in {
	struct path_arg path;
};

extern const struct field download_in_fields[];
extern const enum err_code download_errors[];
extern const struct limit download_limits[];
extern const struct raw download_raw;
extern const char download_description[];

/* What the JSON form tells; reply() makes the op's own result of it and calls call_reply(). */
struct download_content {
	struct str path, path_b64, bytes;
};
typedef void download_reply_fn(struct call *call, const struct download_content *content);

void download_start(struct call *call, download_reply_fn *reply);

/* As bytes, from the first to the last of them (UINT64_MAX: to the end), instead of what a Range header says. */
void download_start_part(struct call *call, uint64_t first, uint64_t last);
