/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches wire/dns.c and browser/resolv_conf.c.  The input is an answer to a question for one of
 * two names, and once more the text of the two files.
 * Properties: never more addresses than there is room for, nothing changes on a failure, and
 * an answer with another number is none.
 */
#include "browser/resolv_conf.h"
#include "wire/dns.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(struct str message, struct str name, unsigned type)
{
	struct dns_addresses found = { .count = 2, .ttl = 77 };
	uint16_t id = message.len >= 2 ? (uint16_t)((unsigned char)message.p[0] << 8 | (unsigned char)message.p[1]) : 0;
	int r = dns_answer(message, id, name, type, &found);

	assert(found.count >= 2 && found.count <= DNS_ADDRESSES_MAX && found.ttl <= 77);
	assert(r == 0 || (found.count == 2 && found.ttl == 77));
	for (size_t i = 2; i < found.count; i++)
		assert(found.all[i].is_v6 == (type == DNS_AAAA));
	assert(dns_answer(message, id ^ 1, name, type, &found) == -EBADMSG || message.len < 2);
}

static void check_query(struct str name)
{
	unsigned char sent[DNS_QUERY_MAX];
	ssize_t len = dns_query(sent, 1, name, DNS_A);

	assert(len <= DNS_QUERY_MAX);
	/* A question is no answer. */
	if (len > 0)
		assert(dns_answer((struct str){ (char *)sent, (size_t)len }, 1, name, DNS_A,
			       &(struct dns_addresses){ 0 }) < 0);
}

static void check_files(struct str text)
{
	struct dns_addresses found = { 0 };
	struct resolv_conf conf;

	resolv_conf_parse(text, &conf);
	assert(conf.server_count >= 1 && conf.server_count <= RESOLV_SERVERS_MAX &&
		conf.search_count <= RESOLV_SEARCH_MAX);
	assert(conf.seconds >= 1 && conf.attempts >= 1);
	hosts_find(text, "web", &found);
	assert(found.count <= DNS_ADDRESSES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };

	check_answer(bytes, STR("a.example"), DNS_A);
	check_answer(bytes, STR("a.example"), DNS_AAAA);
	check_query(bytes);
	check_files(bytes);
	return 0;
}
