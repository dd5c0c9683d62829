/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of an HTTP/1 response, strictly: what could mean two things to two parsers (bare
 * LF or CR, folded lines, two lengths, a length beside a coding, NUL) is refused.
 *
 * Nothing is copied: values point into the bytes given, which must stay.
 */
#pragma once

#include "base/str.h"

enum {
	RESPONSE_HEAD_MAX = 32 * 1024,
	RESPONSE_FIELDS_MAX = 100,
};

struct response_field {
	struct str name, value; /* value without blanks at its ends */
};

struct response {
	int status, minor; /* HTTP/1.minor */
	struct response_field fields[RESPONSE_FIELDS_MAX];
	size_t count;
	bool has_length, chunked;
	uint64_t length;
	bool keep_alive;
	const char *reason; /* of a refusal: a constant */
};

/* The length of the head when it is whole, 0 when more bytes are needed, -EINVAL (see reason). */
ssize_t response_parse(struct str bytes, struct response *ret_response) MUST_CHECK;

/* The value of a field, or a str with p NULL. */
struct str response_get(const struct response *r, const char *name);

/* Whether the Content-Type is this one, whatever its parameters. */
bool response_is_type(const struct response *r, const char *media_type);
