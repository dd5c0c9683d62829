/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a server is, from its URL: http://HOST[:PORT][/PREFIX], HOST:PORT, or unix:/PATH.
 */
#pragma once

#include "cli/problem.h"

enum address_kind { ADDRESS_TCP, ADDRESS_UNIX };

struct address {
	enum address_kind kind;
	char host[256]; /* name or number, without brackets */
	char port[8];
	char path[108];      /* of the socket */
	char prefix[512];    /* before every route; without a final '/' */
	char authority[272]; /* for the Host header */
};

int address_parse(struct address *ret_address, const char *url, struct problem *p) MUST_CHECK;

/* For messages: "127.0.0.1:9000" or "unix:/path". */
const char *address_text(const struct address *a);
