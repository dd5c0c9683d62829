/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/event_line.h"

#include <unistd.h>

enum { LINE_MAX_BYTES = 128 << 20 };

int event_line_print(struct cli *cli, const struct sse_reader *reader)
{
	struct json_writer w;
	AUTOBUF struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	json_write_init(&w, &line);
	json_object_begin(&w);
	json_key(&w, "event");
	json_text(&w, buf_str(&reader->event));
	if (reader->id.len) {
		json_key(&w, "id");
		json_text(&w, buf_str(&reader->id));
	}
	json_key(&w, "data");
	if (reader->data.len)
		json_raw(&w, buf_str(&reader->data));
	else
		json_null(&w);
	json_object_end(&w);
	buf_addc(&line, '\n');
	return cli_write(cli, STDOUT_FILENO, buf_str(&line));
}
