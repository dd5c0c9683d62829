/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts as URLs write them, and the patterns of browser.allow_hosts.
 *
 * Two spellings of one host are equal: case, a final dot, brackets and the forms of an IPv6
 * address do not count, and an IPv4 address inside an IPv6 one is the IPv4 address.  Names are
 * those of the DNS; a name in other letters stands in its "xn--" form, as browsers send it.
 *
 * Patterns: "*" any host; "name" that host; "*.name" every host below that name, not the name
 * itself; an address; each with ":port" or for all ports.
 */
#pragma once

#include "base/str.h"

enum { NET_HOST_NAME_MAX = 253, NET_ADDRESS_SIZE = 16 };

enum net_host_kind { NET_HOST_NAME, NET_HOST_V4, NET_HOST_V6 };

struct net_host {
	enum net_host_kind kind;
	char text[NET_HOST_NAME_MAX + 1];        /* canonical; an IPv6 address without brackets */
	unsigned char address[NET_ADDRESS_SIZE]; /* 4 or 16 bytes, in the order of the network */
	unsigned port;                           /* 0: none was given */
};

/* "host", "host:port", "[v6]:port": 0 or -EINVAL. */
int net_host_parse(struct str text, struct net_host *ret_host) MUST_CHECK;

/* The host that an address of 4 or 16 bytes is. */
void net_host_of_address(const unsigned char *address, bool is_v6, unsigned port, struct net_host *ret_host);

bool net_host_eq(const struct net_host *a, const struct net_host *b); /* with the port */

/* Loopback, link-local, or "this host": where a name from outside has no business to lead. */
bool net_host_is_own(const struct net_host *host);

bool net_pattern_is_valid(struct str pattern);
bool net_pattern_matches(struct str pattern, const struct net_host *host);

/* Whether one of a NULL-terminated list matches; NULL is an empty list. */
bool net_patterns_allow(const char *const *patterns, const struct net_host *host);
