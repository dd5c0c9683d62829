/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What /etc/hosts and /etc/resolv.conf say (hosts(5), resolv.conf(5)), from their text.  Lines
 * that make no sense are skipped, as everybody does.
 */
#pragma once

#include "wire/dns.h"

enum { RESOLV_SERVERS_MAX = 3, RESOLV_SEARCH_MAX = 6 };

struct resolv_conf {
	struct dns_address servers[RESOLV_SERVERS_MAX]; /* 127.0.0.1 when the text names none */
	size_t server_count;
	struct str search[RESOLV_SEARCH_MAX]; /* into the text */
	size_t search_count;
	unsigned dots;     /* names with so many are asked for as they are first */
	unsigned seconds;  /* for one answer */
	unsigned attempts; /* of each server */
};

void resolv_conf_parse(struct str text, struct resolv_conf *ret_conf);

/* The addresses that a text of /etc/hosts has for a name. */
void hosts_find(struct str text, const char *name, struct dns_addresses *found);
