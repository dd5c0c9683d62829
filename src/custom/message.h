/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines between the server and a worker (docs/custom-commands.md): JSON objects, one a line.
 */
#pragma once

#include "custom/args.h"

/* Requests, with their newline. */
void message_describe(struct buf *to, uint64_t id);
void message_call(struct buf *to, uint64_t id, const char *name, const struct args *args, const struct json *given);
void message_cancel(struct buf *to, uint64_t id);

/* An answer: the result, or the error where result is NULL. */
struct message {
	uint64_t id;
	const struct json *result;
	struct str type, text; /* of the error; p NULL where it does not say */
};

/* The id of an answer that cannot be read, where it begins with it; 0 where it does not. */
uint64_t message_id(struct str head);

extern const char message_no_memory[];

/* NULL, or what is wrong with the line (message_no_memory: nothing), which is changed.  In memory of the arena. */
const char *message_parse(struct arena *arena, char *line, size_t len, struct message *ret_message) MUST_CHECK;
