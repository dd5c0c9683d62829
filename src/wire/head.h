/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of an HTTP/1 request: request line and header fields, strictly by RFC 9112.
 *
 * Nothing is copied: names and values point into the bytes given, which must stay.  What
 * could mean two things to two parsers (bare LF or CR, a blank before a colon, folded
 * lines, NUL, two lengths, a length beside a coding, a coding other than one final
 * "chunked", two Hosts, none in HTTP/1.1) is refused, never repaired.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum {
	HEAD_LINE_MAX = 8 * 1024,    /* request line */
	HEAD_FIELDS_MAX = 32 * 1024, /* all header lines together */
	HEAD_FIELDS_COUNT = 100,
};

/* Why a head is refused; each has one wire code in http/. */
enum head_problem {
	HEAD_BAD = 1,          /* 400 */
	HEAD_LINE_TOO_LONG,    /* 414 */
	HEAD_FIELDS_TOO_LARGE, /* 431 */
	HEAD_NOT_IMPLEMENTED,  /* 501: a transfer coding that is not known */
	HEAD_VERSION,          /* 505 */
};

struct head_field {
	struct str name, value; /* value without blanks at its ends */
};

struct head {
	struct str method, target;
	int minor;       /* HTTP/1.minor: 0 or 1 */
	struct str host; /* empty when there is none (HTTP/1.0) */
	bool has_length, chunked;
	uint64_t length;       /* of the body, when has_length */
	bool keep_alive;       /* what version and Connection ask for */
	bool closes;           /* Connection holds "close" */
	bool wants_upgrade;    /* Connection holds "upgrade" */
	bool expects_continue; /* HTTP/1.1 and Expect: 100-continue */
	bool expects_unknown;  /* another expectation */
	const char *reason;    /* on a refusal: what is wrong, a constant */
	size_t count;
	struct head_field fields[HEAD_FIELDS_COUNT]; /* last: what is behind count is not cleared */
};

/*
 * The length of the head when it is whole, 0 when more bytes are needed, or -(enum
 * head_problem).  A refusal comes as soon as it is certain, also before the head is whole.
 * Up to eight empty lines before the request line are skipped and count.  `from` is where an earlier
 * call with fewer bytes stopped looking (0 at first); it is moved, so that a head that
 * arrives byte by byte costs linear time, and back to 0 when the head is whole or refused.
 * ret_head is complete only when the head is.
 */
ssize_t head_parse(struct str bytes, size_t *from, struct head *ret_head) MUST_CHECK;

/* The value of a field, or a str with p NULL.  Fields that may stand once only: ask head_count(). */
struct str head_get(const struct head *head, const char *name);
size_t head_count(const struct head *head, const char *name);

/*
 * The values of all its lines with ", " between them, which is what they mean (RFC 9110, 5.3), copied: of a
 * field that may stand once only that is no value it can have.  p NULL: there is none.  0 or -ENOMEM.
 */
int head_join(struct arena *arena, const struct head *head, const char *name, struct str *ret_value) MUST_CHECK;

/* The value of a field in what came of a head that is refused, in the first whole line that looks like it; or p NULL. */
struct str head_peek(struct str bytes, const char *name);

/* Whether a comma list (all lines of that name) holds the token, without regard to case or parameters. */
bool head_has_token(const struct head *head, const char *name, const char *token);

/* The next element of a comma list, trimmed; empty ones are skipped, quoted commas do not part. */
bool head_list_next(struct str *list, struct str *ret_item);

bool head_is_token_char(char c); /* tchar of RFC 9110 */
