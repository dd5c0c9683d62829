/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a name server and its answers (RFC 1035), for the addresses of a host and no
 * more.  An answer is believed only when it repeats the question, and an address only when
 * it belongs to the name that was asked for or to one that its aliases lead to.
 */
#pragma once

#include "base/str.h"

enum { DNS_A = 1, DNS_AAAA = 28 };

enum {
	DNS_QUERY_MAX = 12 + 255 + 4,
	DNS_UDP_MAX = 512, /* what comes without extensions being asked for */
	DNS_TCP_MAX = 65535,
	DNS_ADDRESSES_MAX = 8, /* the rest is left out */
};

struct dns_address {
	bool is_v6;
	unsigned char bytes[16];
};

struct dns_addresses {
	struct dns_address all[DNS_ADDRESSES_MAX];
	size_t count;
	uint32_t ttl; /* seconds for which they hold */
};

/* A question for DNS_A or DNS_AAAA: its length, or -EINVAL for what is no name. */
ssize_t dns_query(unsigned char to[static DNS_QUERY_MAX], uint16_t id, struct str name, unsigned type) MUST_CHECK;

/*
 * The addresses of the answer to such a question, added to *found.  0, also when the name exists
 * without an address of this kind; -ENOENT: no such name; -EMSGSIZE: cut off, to be asked over
 * TCP; -EAGAIN: the server cannot tell; -EBADMSG: malformed, or no answer to this question.
 */
int dns_answer(struct str message, uint16_t id, struct str name, unsigned type, struct dns_addresses *found) MUST_CHECK;
