/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.console: what the page has said since the last time.
 */
#include "browser/console.h"
#include "call/call.h"

struct log {
	const char *type;
	struct str text;
	const char *timestamp;
};

struct out {
	struct list logs; /* of struct log */
};

static const struct field log_rows[] = {
	R_STRING(struct log, type,
		"log, info, warning, error, debug and so on of the console; exception, dialog, download, crash."),
	R_TEXT(struct log, text, "What was said."),
	R_STRING(struct log, timestamp, "When."),
	FIELDS_END,
};

static const struct field result[] = {
	R_OBJECTS(struct out, logs, struct log, "BrowserLog", log_rows, "The oldest first, at most the last 1000."),
	FIELDS_END,
};

static void start(struct call *call)
{
	size_t count = console_count();
	struct log *logs = call_alloc(call, MAX(count, 1) * sizeof *logs);
	struct out out = { .logs = { logs, 0 } };

	for (size_t i = 0; logs && i < count; i++) {
		const struct console_entry *entry = console_at(i);

		logs[i].type = arena_strdup(&call->arena, entry->type);
		logs[i].text = (struct str){ arena_strndup(&call->arena, entry->text, entry->len), entry->len };
		logs[i].timestamp = arena_strdup(&call->arena, entry->when);
		if (!logs[i].type || !logs[i].text.p || !logs[i].timestamp) {
			err_set(&call->err, ERR_BUSY, "the call needs more memory than is left");
			logs = NULL;
		}
		out.logs.count++;
	}
	if (!logs) {
		call_fail(call);
		return;
	}
	console_clear();
	call_reply(call, &out);
}

const struct op op_browser_console = {
	.id = "browser.console",
	.endpoint = "browser_console",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "GET",
	.path = "/browser/console",
	.since = "0.1.0",
	.summary = "Read what the page has written to its console.",
	.description =
		"Reading clears it. Dialogs, which are dismissed, downloads, which are refused, uncaught exceptions and crashes are in it "
		"too. It starts no browser and waits for no other call.",
	.example = { .args = JSON_TEXT({}), .after = "browser.navigate", .abx = "browser console" },
	.effects = OP_READS,
	.result = result,
	.result_size = sizeof(struct out),
	.start = start,
};
