/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/origin.h"

#include <strings.h>

static bool is_digits(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	}
	return text.len > 0;
}

/* Splits "name:port" or "[v6]:port"; false when the port is not one. */
static bool split(struct str host, struct str *ret_name, struct str *ret_port)
{
	struct str rest = host;
	struct str name;

	if (host.len && host.p[0] == '[') {
		const char *end = memchr(host.p, ']', host.len);

		if (!end)
			return false;
		name = (struct str){ host.p, (size_t)(end + 1 - host.p) };
		rest = (struct str){ end + 1, host.len - name.len };
		if (rest.len && *rest.p != ':')
			return false;
		str_cut(&rest, ':');
	} else {
		name = str_cut(&rest, ':');
	}
	if (name.len + 1 == host.len || (rest.len && (!is_digits(rest) || rest.len > 5)))
		return false;
	*ret_name = name;
	*ret_port = rest;
	return true;
}

/* Four decimal parts, the first of which is 127: not "127.evil.example". */
static bool is_loopback_v4(struct str name)
{
	unsigned parts = 0;

	while (name.len) {
		struct str part = str_cut(&name, '.');
		uint64_t value;

		if (part.len > 3 || str_to_u64(part, &value) < 0 || value > 255 || (parts == 0 && value != 127))
			return false;
		parts++;
		if (name.len == 0 && name.p[-1] == '.')
			return false;
	}
	return parts == 4;
}

bool origin_host_is_loopback(struct str host)
{
	struct str name, port;

	if (!split(host, &name, &port))
		return false;
	return str_is_nocase(name, "localhost") || str_is(name, "[::1]") || is_loopback_v4(name);
}

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && strncasecmp(a.p, b.p, a.len) == 0;
}

bool origin_is_same(struct str origin, struct str host)
{
	struct str name, port, own_name, own_port;

	if (!str_starts(origin, "http://") || host.len == 0)
		return false;
	origin.p += strlen("http://");
	origin.len -= strlen("http://");
	if (!split(origin, &name, &port) || !split(host, &own_name, &own_port))
		return false;
	if (port.len == 0)
		port = STR("80");
	if (own_port.len == 0)
		own_port = STR("80");
	return name.len > 0 && eq_nocase(name, own_name) && str_eq(port, own_port);
}

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || memchr("-._:[]", c, 6);
}

static bool is_scheme(struct str scheme)
{
	for (size_t i = 0; i < scheme.len; i++) {
		char c = scheme.p[i];

		if (!(c >= 'a' && c <= 'z') && (i == 0 || (!(c >= '0' && c <= '9') && !memchr("+-.", c, 3))))
			return false;
	}
	return scheme.len > 0;
}

bool origin_is_valid(struct str origin)
{
	struct str rest = origin;
	struct str scheme = str_cut(&rest, ':');
	struct str name, port;

	if (!is_scheme(scheme) || !str_starts(rest, "//"))
		return false;
	rest.p += 2;
	rest.len -= 2;
	for (size_t i = 0; i < rest.len; i++) {
		if (!is_host_char(rest.p[i]))
			return false;
	}
	return split(rest, &name, &port) && name.len > 0;
}
