/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of an answer, one after the other, each parsed.  With --json each is printed as
 * a line before it is read.
 */
#pragma once

#include "cli/cli.h"

struct event_stream {
	struct cli *cli;
	size_t event_max;
	/* Sees each event; the texts in data may be changed.  -1 with cli->problem ends the stream. */
	int (*on_event)(struct event_stream *s, struct str event, const struct json *data);
	bool ended; /* set by on_event: it was the last one */
	bool broke; /* the connection failed, and no event told the end */
	int64_t id; /* of the newest event, where the ids are numbers; else as it was */
};

/* After api_open().  0 after the last event; a stream that ends without it is a failure, and `broke` where it was the connection. */
int event_stream_play(struct event_stream *s) MUST_CHECK;
