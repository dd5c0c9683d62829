/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/address.h"

#include <stdio.h>
#include <string.h>

#define PORT_DEFAULT "80"

static int parse_unix(struct address *a, const char *path, struct problem *p)
{
	if (path[0] != '/' || strlen(path) >= sizeof a->path)
		return problem_set(p, EXIT_USAGE,
			"'unix:%s' is not the address of a socket: an absolute path of at most %zu bytes is needed",
			path, sizeof a->path - 1);
	a->kind = ADDRESS_UNIX;
	memcpy(a->path, path, strlen(path) + 1);
	snprintf(a->authority, sizeof a->authority, "localhost");
	return 0;
}

/* What a host may hold; anything else could end the Host header or the message about it. */
static bool is_host(struct str host, bool bracketed)
{
	for (size_t i = 0; i < host.len; i++) {
		char c = host.p[i];

		if (c <= ' ' || c == 0x7f || strchr("/@\"<>\\^`{|}#?[]", c) || (c == ':' && !bracketed))
			return false;
	}
	return host.len > 0 && host.len < sizeof((struct address *)0)->host;
}

/* "host", "host:port", "[v6]:port" */
static int parse_authority(struct address *a, struct str text)
{
	struct str host = text, port = STR(PORT_DEFAULT);
	bool bracketed = text.len && text.p[0] == '[';
	uint64_t number;

	if (bracketed) {
		struct str rest = { text.p + 1, text.len - 1 };

		host = str_cut(&rest, ']');
		if (host.len + 1 == text.len || (rest.len && rest.p[0] != ':'))
			return -1;
		if (rest.len)
			port = (struct str){ rest.p + 1, rest.len - 1 };
	} else if (str_has(text, ':')) {
		port = text;
		host = str_cut(&port, ':');
	}
	if (!is_host(host, bracketed) || str_to_u64(port, &number) < 0 || number == 0 || number > 65535)
		return -1;
	snprintf(a->host, sizeof a->host, STR_FMT, STR_ARG(host));
	snprintf(a->port, sizeof a->port, "%u", (unsigned)number);
	snprintf(a->authority, sizeof a->authority, bracketed ? "[%s]:%s" : "%s:%s", a->host, a->port);
	return 0;
}

static int parse_prefix(struct address *a, struct str prefix)
{
	while (prefix.len && prefix.p[prefix.len - 1] == '/')
		prefix.len--;
	for (size_t i = 0; i < prefix.len; i++) {
		if (prefix.p[i] <= ' ' || prefix.p[i] >= 0x7f || strchr("?#\"<>", prefix.p[i]))
			return -1;
	}
	if (prefix.len + 2 > sizeof a->prefix)
		return -1;
	if (prefix.len)
		snprintf(a->prefix, sizeof a->prefix, "/" STR_FMT, STR_ARG(prefix));
	return 0;
}

int address_parse(struct address *ret_address, const char *url, struct problem *p)
{
	struct address a = { .kind = ADDRESS_TCP };
	struct str rest = str_of(url), authority;

	if (strncmp(url, "unix:", 5) == 0) {
		if (parse_unix(&a, url + 5, p) < 0)
			return -1;
		*ret_address = a;
		return 0;
	}
	if (str_starts(rest, "https://"))
		return problem_set(p, EXIT_USAGE,
			"'%s': abx does not speak TLS; use a plain http:// or unix: address, or a tunnel", url);
	if (str_starts(rest, "http://"))
		rest = (struct str){ rest.p + 7, rest.len - 7 };
	authority = str_cut(&rest, '/');
	if (parse_authority(&a, authority) < 0 || parse_prefix(&a, rest) < 0)
		return problem_set(
			p, EXIT_USAGE, "'%s' is not an address: http://HOST:PORT or unix:/PATH is needed", url);
	*ret_address = a;
	return 0;
}

const char *address_text(const struct address *a)
{
	static char text[sizeof a->path + 8];

	if (a->kind == ADDRESS_TCP)
		return a->authority;
	snprintf(text, sizeof text, "unix:%s", a->path);
	return text;
}
