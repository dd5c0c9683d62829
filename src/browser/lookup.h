/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of a host's name, without the system's name services, which a static file does
 * not have: "localhost" by definition, then by c-ares /etc/hosts, then the name servers of
 * /etc/resolv.conf with their search list.  It blocks, so it runs in a worker; both files are
 * read each time.
 */
#pragma once

#include "base/base.h"

enum { LOOKUP_ADDRESSES_MAX = 8 }; /* the rest is left out */

struct lookup_address {
	bool is_v6;
	unsigned char bytes[16];
};

struct lookup_addresses {
	struct lookup_address all[LOOKUP_ADDRESSES_MAX]; /* in the order in which they should be tried */
	size_t count;
	uint32_t ttl; /* seconds for which they hold */
};

/* The hosts file is /etc/hosts, or what CARES_HOSTS in the environment names. */
struct lookup_files {
	const char *resolv_conf;
	unsigned dns_port;
};

extern const struct lookup_files lookup_system_files;

struct lookup_result {
	/* 0; -ENOENT: no such name, or none with an address; -ETIMEDOUT; -EAGAIN: the servers cannot tell; -ECANCELED */
	int error;
	bool from_dns; /* what a foreign server said */
	struct lookup_addresses found;
};

/* `name` is canonical (policy/net_host.h).  Ends at the deadline, or soon after is_stopped() says so. */
void lookup_run(const struct lookup_files *files, const char *name, int64_t deadline_ns, bool (*is_stopped)(void *user),
	void *user, struct lookup_result *ret_result);
