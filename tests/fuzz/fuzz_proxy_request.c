/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches browser/proxy_request.c and policy/net_host.c.  The input's first line is a pattern, the
 * second a host, the rest the head of a request to the proxy.
 * Properties: a host is the same after it was written and read again; a pattern that is not "*"
 * or below a name matches one host alone; what is passed on is a head of its own, of one host, the
 * one that was judged, whose fields are all of the request and none of the connection's.
 */
#include "browser/proxy_request.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OWN_FIELDS = 2 }; /* Host and Connection */

static void check_same(const struct net_host *host)
{
	char text[NET_HOST_NAME_MAX + 16];
	struct net_host again;

	snprintf(text, sizeof text, host->kind == NET_HOST_V6 ? "[%s]:%u" : "%s:%u", host->text,
		host->port ? host->port : 80);
	assert(net_host_parse(str_of(text), &again) == 0);
	again.port = host->port;
	assert(net_host_eq(host, &again));
	assert(memcmp(host->address, again.address, sizeof again.address) == 0);
}

static void check_pattern(struct str pattern, const struct net_host *host)
{
	struct net_host named;

	if (!net_pattern_matches(pattern, host))
		return;
	assert(net_pattern_is_valid(pattern));
	if (str_starts(pattern, "*"))
		return;
	/* A bare IPv6 address is the one pattern that is no host. */
	if (net_host_parse(pattern, &named) < 0) {
		assert(host->kind != NET_HOST_NAME);
		return;
	}
	named.port = host->port;
	assert(net_host_eq(&named, host));
}

static void check_passed_on(const struct head *head, const struct proxy_request *request)
{
	static const char *const own[] = { "proxy-authorization", "proxy-connection", "te", "upgrade", "keep-alive",
		"transfer-encoding", NULL };
	static struct head again;
	AUTOBUF struct buf out;
	struct net_host host;
	size_t from = 0;

	buf_init(&out, 1 << 20);
	proxy_request_write(head, request, &out);
	assert(!buf_failed(&out));
	if (head->count > HEAD_FIELDS_COUNT - OWN_FIELDS)
		return; /* with ours there may be more than we read again */
	assert(head_parse(buf_str(&out), &from, &again) == (ssize_t)out.len);
	assert(str_eq(again.method, head->method) && again.minor == 1 && again.closes && !again.chunked);
	assert((again.has_length ? again.length : 0) == request->body);
	assert(net_host_parse(again.host, &host) == 0);
	host.port = host.port ? host.port : 80;
	assert(net_host_eq(&host, &request->host));
	for (const char *const *name = own; *name; name++)
		assert(head_count(&again, *name) == 0);
	assert(again.target.p[0] == '/' || str_is(again.target, "*"));
}

static void check_request(struct str bytes)
{
	static struct head head;
	struct proxy_request request;
	struct proxy_fault fault = { 0 };
	size_t from = 0;
	ssize_t len = head_parse(bytes, &from, &head);

	if (len < 0)
		fault = proxy_fault_of_head((int)-len, head.reason);
	else if (len > 0 && proxy_request_parse(&head, &request, &fault) < 0)
		assert(fault.status >= 400 && fault.reason);
	else if (len > 0)
		check_same(&request.host);
	assert(len >= 0 || (fault.status >= 400 && fault.reason));
	if (len > 0 && !fault.status && !request.is_tunnel)
		check_passed_on(&head, &request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size };
	struct str pattern = str_cut(&rest, '\n'), text = str_cut(&rest, '\n');
	struct net_host host;

	net_pattern_is_valid(pattern);
	if (net_host_parse(text, &host) == 0) {
		check_same(&host);
		check_pattern(pattern, &host);
	}
	check_request(rest);
	return 0;
}
