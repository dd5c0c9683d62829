/* SPDX-License-Identifier: Apache-2.0 */
#include "spawn/failure.h"

#include "base/json_write.h"

enum { DETAILS_MAX = 64 * 1024, PATH_SHOWN = 300 };

int failure_set(struct err *err, struct arena *arena, const char *step, int number, struct str path, const char *reason)
{
	struct json_writer w;
	AUTOBUF struct buf details;

	if (!reason)
		reason = strerrordesc_np(number);
	err_set(err, ERR_COMMANDS_START, "cannot start: %s '%.*s': %s", step, (int)MIN(path.len, PATH_SHOWN), path.p,
		reason ? reason : "unknown error");
	buf_init(&details, DETAILS_MAX);
	json_write_init(&w, &details);
	json_object_begin(&w);
	json_key(&w, "step");
	json_string(&w, step);
	json_key(&w, "errno");
	json_string(&w, strerrorname_np(number));
	json_key(&w, "path");
	json_text(&w, path);
	json_object_end(&w);
	if (!buf_failed(&details))
		err->details = arena_strndup(arena, details.data, details.len);
	return -1;
}
