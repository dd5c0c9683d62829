/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of ops over one http_client.
 *
 * A JSON call is POST /ops/{id} with one object.  The text of an answer is kept as it came
 * until reply_parse(), which changes it; --json prints it before that.
 */
#pragma once

#include "base/json_write.h"
#include "cli/http_client.h"

struct api {
	struct http_client http;
	const char *token; /* NULL: none */
	char op[80];       /* of the last call; for messages */
};

struct reply {
	struct buf body;
	struct arena arena;
	struct json *value; /* after reply_parse() */
};

void api_init(struct api *api, const struct address *address, const char *token);
void api_done(struct api *api);

/* What the server wants with a body, and what it is asked for. */
struct api_request {
	const char *op; /* named in messages */
	const char *method;
	struct str target;
	const char *accept;    /* NULL: application/json */
	struct str body;       /* JSON; p NULL: none */
	struct upload *upload; /* bytes instead; NULL: none */
	struct str fields;     /* further header lines, each with CRLF */
	bool is_upgrade;       /* the good answer is 101 */
	bool is_read;
};

/* Sends and waits for the head of a good answer (a 2xx, or 101); any other is a problem. */
int api_open(struct api *api, const struct api_request *request, struct problem *p) MUST_CHECK;

/* A POST /ops/{op}: the same for a call by id. */
int api_open_op(struct api *api, const char *op, struct str args, const char *accept, bool is_read,
	struct problem *p) MUST_CHECK;

/* A whole JSON call.  The reply is to be freed by reply_free(), also after a failure. */
int api_call(struct api *api, const char *op, struct str args, bool is_read, struct reply *ret_reply,
	struct problem *p) MUST_CHECK;
int api_get(struct api *api, const char *op, const char *target, struct reply *ret_reply, struct problem *p) MUST_CHECK;

/* The rest of the answer after api_open(), which must be JSON. */
int api_finish(struct api *api, struct reply *ret_reply, struct problem *p) MUST_CHECK;

int reply_parse(struct api *api, struct reply *reply, struct problem *p) MUST_CHECK;
void reply_free(struct reply *reply);
#define AUTOREPLY CLEANUP(reply_free)

/* Members of an object, with a value for when they are absent or of another type. */
struct str reply_text(const struct json *object, const char *key);
int64_t reply_int(const struct json *object, const char *key, int64_t absent);
bool reply_bool(const struct json *object, const char *key, bool absent);
const struct json *reply_list(const struct json *object, const char *key); /* first item or NULL */

/* "key": path, or "key_b64" where the bytes are no UTF-8. */
void api_path(struct json_writer *w, const char *key, struct str path);
