/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the file named by the argument as JSON: ends with 0 if it is accepted, 1 if it is refused, 2 if it cannot be read. */
#include "base/buf.h"
#include "base/json.h"

#include <stdio.h>

enum { FILE_MAX = 16 * 1024 * 1024, ARENA_MAX = 256 * 1024 * 1024, STEP = 64 * 1024 };

static int read_all(const char *path, struct buf *ret_text)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	if (!file)
		return -1;
	do {
		char *to = buf_reserve(ret_text, STEP);

		len = to ? fread(to, 1, STEP, file) : 0;
		if (len)
			buf_commit(ret_text, len);
	} while (len);
	return fclose(file) == 0 && !buf_failed(ret_text) ? 0 : -1;
}

int main(int argc, char **argv)
{
	AUTOBUF struct buf text;
	struct arena arena;
	struct json *value;
	struct json_error error;
	int rc;

	buf_init(&text, FILE_MAX);
	if (argc != 2 || read_all(argv[1], &text) < 0)
		return 2;
	arena_init(&arena, ARENA_MAX);
	rc = json_parse(&arena, text.data, text.len, &value, &error);
	if (rc < 0)
		printf("%zu:%zu: %s\n", error.line, error.column, error.reason);
	arena_free(&arena);
	return rc < 0;
}
