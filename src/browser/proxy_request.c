/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/proxy_request.h"

#include <strings.h>

enum { HTTP_PORT = 80 };

static int fail(struct proxy_fault *fault, int status, const char *reason)
{
	*fault = (struct proxy_fault){ status, reason };
	return -1;
}

struct proxy_fault proxy_fault_of_head(int problem, const char *reason)
{
	static const int status[] = {
		[HEAD_BAD] = 400,
		[HEAD_LINE_TOO_LONG] = 414,
		[HEAD_FIELDS_TOO_LARGE] = 431,
		[HEAD_NOT_IMPLEMENTED] = 501,
		[HEAD_VERSION] = 505,
	};

	return (struct proxy_fault){ status[problem], reason };
}

/* http://authority, then a path, a query or nothing. */
static int split_target(struct str target, struct proxy_request *request, struct proxy_fault *fault)
{
	static const char scheme[] = "http://";
	size_t len = sizeof scheme - 1, end;

	if (target.p[0] == '/' || target.p[0] == '*')
		return fail(fault, 400, "this is a proxy: it wants whole URLs");
	if (target.len < len || strncasecmp(target.p, scheme, len) != 0)
		return fail(fault, 400, "only http:// is fetched; everything else goes through CONNECT");
	for (end = len; end < target.len && target.p[end] != '/' && target.p[end] != '?'; end++)
		;
	request->authority = (struct str){ target.p + len, end - len };
	request->path = (struct str){ target.p + end, target.len - end };
	return 0;
}

static int parse_host(struct str authority, unsigned default_port, struct net_host *ret_host, struct proxy_fault *fault)
{
	if (net_host_parse(authority, ret_host) < 0)
		return fail(fault, 400, "the host is none");
	if (ret_host->port == 0)
		ret_host->port = default_port;
	if (ret_host->port == 0)
		return fail(fault, 400, "CONNECT wants a host and a port");
	return 0;
}

static int check_host_field(const struct head *head, const struct proxy_request *request, struct proxy_fault *fault)
{
	unsigned default_port = request->is_tunnel ? request->host.port : HTTP_PORT;
	struct net_host host;

	if (head->host.len == 0 && head->minor == 0)
		return 0;
	if (parse_host(head->host, default_port, &host, fault) < 0 || !net_host_eq(&host, &request->host))
		return fail(fault, 400, "the target and the Host field name two hosts");
	return 0;
}

int proxy_request_parse(const struct head *head, struct proxy_request *ret_request, struct proxy_fault *ret_fault)
{
	struct proxy_request request = { .is_tunnel = str_is(head->method, "CONNECT"),
		.head_only = str_is(head->method, "HEAD") };

	request.authority = head->target;
	if (!request.is_tunnel && split_target(head->target, &request, ret_fault) < 0)
		return -1;
	if (parse_host(request.authority, request.is_tunnel ? 0 : HTTP_PORT, &request.host, ret_fault) < 0 ||
		check_host_field(head, &request, ret_fault) < 0)
		return -1;
	/* Browsers send neither. */
	if (head->chunked)
		return fail(ret_fault, 501, "a body without a length is not passed on");
	if (request.is_tunnel && head->has_length && head->length)
		return fail(ret_fault, 400, "CONNECT has no body");
	request.body = head->has_length ? head->length : 0;
	*ret_request = request;
	return 0;
}

static bool is_passed_on(const struct head *head, struct str name)
{
	static const char *const own[] = { "connection", "host", "keep-alive", "te", "trailer", "transfer-encoding",
		"upgrade", NULL };
	char copy[64];

	if (name.len >= sizeof copy) /* too long for any of these, and for what Connection may name */
		return true;
	memcpy(copy, name.p, name.len);
	copy[name.len] = '\0';
	if (strncasecmp(copy, "proxy-", strlen("proxy-")) == 0)
		return false;
	for (const char *const *each = own; *each; each++) {
		if (strcasecmp(copy, *each) == 0)
			return false;
	}
	/* The length decides where the request ends: no field may take it away. */
	return strcasecmp(copy, "content-length") == 0 || !head_has_token(head, "connection", copy);
}

void proxy_request_write(const struct head *head, const struct proxy_request *request, struct buf *out)
{
	const char *before = request->path.len && request->path.p[0] == '/' ? "" : "/";

	if (request->path.len == 0 && str_is(head->method, "OPTIONS"))
		before = "*"; /* RFC 9112, 3.2.4 */
	buf_addf(out, STR_FMT " %s" STR_FMT " HTTP/1.1\r\nHost: " STR_FMT "\r\n", STR_ARG(head->method), before,
		STR_ARG(request->path), STR_ARG(request->authority));
	for (size_t i = 0; i < head->count; i++) {
		const struct head_field *field = &head->fields[i];

		if (is_passed_on(head, field->name))
			buf_addf(out, STR_FMT ": " STR_FMT "\r\n", STR_ARG(field->name), STR_ARG(field->value));
	}
	buf_adds(out, "Connection: close\r\n\r\n");
}
