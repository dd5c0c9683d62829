/* SPDX-License-Identifier: Apache-2.0 */
#include "call/ticket.h"

#include "base/base64.h"
#include "base/clock.h"
#include "call/call.h"

#include <errno.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { TICKET_BYTES = 32, TICKETS_MAX = 256 };

#define LIFE_NS (60 * NS_PER_S)

static struct entry {
	char text[TICKET_SIZE]; /* empty: free, or used */
	const char *op_id;
	char *principal;
	int64_t expires_ns;
	struct ticket ticket;
} entries[TICKETS_MAX];

static size_t next_entry;

int ticket_make(struct call *call, const char *op_id, const char *subject, char ret_text[static TICKET_SIZE])
{
	struct entry *e = &entries[next_entry++ % TICKETS_MAX];
	char bytes[TICKET_BYTES];
	AUTOBUF struct buf text;

	buf_init(&text, TICKET_SIZE);
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return err_set(&call->err, ERR_INTERNAL, "no random numbers");
	base64url_encode(&text, (struct str){ bytes, sizeof bytes });
	free(e->principal);
	e->principal = mem_strdup(principal_name(call->caller));
	e->op_id = op_id;
	e->expires_ns = clock_now_ns() + LIFE_NS;
	e->ticket.principal = e->principal;
	principal_mark(call->caller, e->ticket.mark);
	snprintf(e->text, sizeof e->text, "%s", text.data);
	snprintf(e->ticket.subject, sizeof e->ticket.subject, "%s", subject);
	memcpy(ret_text, e->text, TICKET_SIZE);
	return 0;
}

const struct ticket *ticket_take(struct str text, const char *op_id)
{
	const struct ticket *found = NULL;

	if (text.len != TICKET_SIZE - 1)
		return NULL;
	/* Each is compared, in constant time: how long it takes tells nothing. */
	for (size_t i = 0; i < TICKETS_MAX; i++) {
		struct entry *e = &entries[i];

		if (!memeql_sec(e->text, text.p, text.len) || strcmp(e->op_id, op_id) != 0)
			continue;
		if (clock_now_ns() < e->expires_ns)
			found = &e->ticket;
		memset(e->text, 0, sizeof e->text);
	}
	return found;
}
