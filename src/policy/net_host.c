/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/net_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

enum { LABEL_MAX = 63, PORT_MAX = 65535, V4_SIZE = 4 };

static int parse_port(struct str text, unsigned *ret_port)
{
	uint64_t port;

	if (str_to_u64(text, &port) < 0 || port == 0 || port > PORT_MAX)
		return -EINVAL;
	*ret_port = (unsigned)port;
	return 0;
}

/* Whole texts of an address only: no "127.1", no octal, no zone. */
static int parse_address(int family, struct str text, unsigned char *ret_address)
{
	char copy[INET6_ADDRSTRLEN];

	if (text.len == 0 || text.len >= sizeof copy || str_has(text, '\0'))
		return -EINVAL;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	return inet_pton(family, copy, ret_address) == 1 ? 0 : -EINVAL;
}

void net_host_of_address(const unsigned char *address, bool is_v6, unsigned port, struct net_host *ret_host)
{
	static const unsigned char mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	struct net_host host = { .kind = is_v6 ? NET_HOST_V6 : NET_HOST_V4, .port = port };

	if (is_v6 && memcmp(address, mapped, sizeof mapped) == 0) {
		host.kind = NET_HOST_V4;
		address += sizeof mapped;
	}
	memcpy(host.address, address, host.kind == NET_HOST_V4 ? V4_SIZE : NET_ADDRESS_SIZE);
	inet_ntop(host.kind == NET_HOST_V4 ? AF_INET : AF_INET6, host.address, host.text, sizeof host.text);
	*ret_host = host;
}

static bool is_label_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* What a browser would read as a number of an IPv4 address when it stands last: "127.1", "0x7f000001". */
static bool is_number(struct str label)
{
	size_t i = 0;

	if (label.len >= 2 && label.p[0] == '0' && label.p[1] == 'x')
		return true;
	while (i < label.len && label.p[i] >= '0' && label.p[i] <= '9')
		i++;
	return i == label.len;
}

static int check_labels(struct str name)
{
	struct str label = { 0 };

	do {
		bool more = str_has(name, '.');

		label = str_cut(&name, '.');
		if (label.len == 0 || label.len > LABEL_MAX || (more && name.len == 0))
			return -EINVAL;
		for (size_t i = 0; i < label.len; i++) {
			if (!is_label_char(label.p[i]))
				return -EINVAL;
		}
	} while (name.len);
	return is_number(label) ? -EINVAL : 0;
}

static int parse_name(struct str text, struct net_host *host)
{
	if (text.len && text.p[text.len - 1] == '.')
		text.len--;
	if (text.len == 0 || text.len > NET_HOST_NAME_MAX)
		return -EINVAL;
	for (size_t i = 0; i < text.len; i++)
		host->text[i] = text.p[i] >= 'A' && text.p[i] <= 'Z' ? (char)(text.p[i] | 32) : text.p[i];
	host->text[text.len] = '\0';
	host->kind = NET_HOST_NAME;
	return check_labels((struct str){ host->text, text.len });
}

static int parse_bare(struct str text, struct net_host *host)
{
	unsigned char address[NET_ADDRESS_SIZE];

	if (parse_address(AF_INET, text, address) < 0)
		return parse_name(text, host);
	net_host_of_address(address, false, host->port, host);
	return 0;
}

static int parse_bracketed(struct str text, struct net_host *host)
{
	unsigned char address[NET_ADDRESS_SIZE];
	struct str rest = text;

	text = str_cut(&rest, ']');
	text.p++;
	text.len--;
	/* str_cut() does not tell a missing bracket from one at the end. */
	if (text.p[text.len] != ']' || parse_address(AF_INET6, text, address) < 0)
		return -EINVAL;
	if (rest.len && (rest.p[0] != ':' || parse_port((struct str){ rest.p + 1, rest.len - 1 }, &host->port) < 0))
		return -EINVAL;
	net_host_of_address(address, true, host->port, host);
	return 0;
}

int net_host_parse(struct str text, struct net_host *ret_host)
{
	struct net_host host = { 0 };
	struct str name = text, port = { 0 };
	int r;

	if (text.len > 2 && text.p[0] == '[' && memchr(text.p, ']', text.len)) {
		r = parse_bracketed(text, &host);
	} else {
		if (str_has(text, ':')) {
			port = text;
			name = str_cut(&port, ':');
			if (parse_port(port, &host.port) < 0)
				return -EINVAL;
		}
		r = parse_bare(name, &host);
	}
	if (r == 0)
		*ret_host = host;
	return r;
}

bool net_host_eq(const struct net_host *a, const struct net_host *b)
{
	return a->kind == b->kind && a->port == b->port && strcmp(a->text, b->text) == 0;
}

bool net_host_is_own(const struct net_host *host)
{
	static const unsigned char none[NET_ADDRESS_SIZE];
	const unsigned char *a = host->address;

	if (host->kind == NET_HOST_V4)
		return a[0] == 127 || a[0] == 0 || (a[0] == 169 && a[1] == 254);
	if (host->kind == NET_HOST_V6)
		return (memcmp(a, none, NET_ADDRESS_SIZE - 1) == 0 && a[NET_ADDRESS_SIZE - 1] <= 1) ||
		       (a[0] == 0xfe && (a[1] & 0xc0) == 0x80);
	return false;
}

/* --- patterns --- */

struct pattern {
	bool any, below;
	struct net_host host;
};

/* An IPv6 address needs no brackets where there is no port. */
static int parse_plain(struct str text, struct net_host *host)
{
	unsigned char address[NET_ADDRESS_SIZE];

	if (parse_address(AF_INET6, text, address) < 0)
		return net_host_parse(text, host);
	net_host_of_address(address, true, 0, host);
	return 0;
}

static int parse_pattern(struct str text, struct pattern *ret_pattern)
{
	struct pattern pattern = { 0 };
	int r = 0;

	if (str_starts(text, "*.")) {
		pattern.below = true;
		text.p += 2;
		text.len -= 2;
		r = net_host_parse(text, &pattern.host);
		if (r == 0 && pattern.host.kind != NET_HOST_NAME)
			return -EINVAL;
	} else if (str_starts(text, "*")) {
		pattern.any = true;
		if (text.len > 1 && (text.p[1] != ':' || parse_port((struct str){ text.p + 2, text.len - 2 },
								 &pattern.host.port) < 0))
			return -EINVAL;
	} else {
		r = parse_plain(text, &pattern.host);
	}
	if (r == 0)
		*ret_pattern = pattern;
	return r;
}

static bool is_below(const char *name, const char *parent)
{
	size_t len = strlen(name), parent_len = strlen(parent);

	return len > parent_len + 1 && name[len - parent_len - 1] == '.' &&
	       strcmp(name + len - parent_len, parent) == 0;
}

bool net_pattern_is_valid(struct str text)
{
	struct pattern pattern;

	return parse_pattern(text, &pattern) == 0;
}

bool net_pattern_matches(struct str text, const struct net_host *host)
{
	struct pattern pattern;

	if (parse_pattern(text, &pattern) < 0 || (pattern.host.port && pattern.host.port != host->port))
		return false;
	if (pattern.any)
		return true;
	if (pattern.below)
		return host->kind == NET_HOST_NAME && is_below(host->text, pattern.host.text);
	return pattern.host.kind == host->kind && strcmp(pattern.host.text, host->text) == 0;
}

bool net_patterns_allow(const char *const *patterns, const struct net_host *host)
{
	for (; patterns && *patterns; patterns++) {
		if (net_pattern_matches(str_of(*patterns), host))
			return true;
	}
	return false;
}
