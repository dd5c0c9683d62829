/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/address.h"

#include "policy/config.h"
#include "policy/net_host.h"
#include "policy/policy.h"

#include <strings.h>

enum { URL_MAX = 2 * 1024 * 1024 };

static const struct {
	const char *prefix;
	unsigned port; /* 0: it has no host */
} schemes[] = { { "http://", 80 }, { "https://", 443 }, { "data:", 0 } };

bool address_any_host(const char *const *allow_hosts)
{
	for (; allow_hosts && *allow_hosts; allow_hosts++) {
		if (strcmp(*allow_hosts, "*") == 0)
			return true;
	}
	return false;
}

int address_refuse(struct call *call, struct str host)
{
	return err_deny(&call->err, ERR_POLICY_HOST, "browser.allow_hosts", "the browser may not go to '" STR_FMT "'",
		(int)MIN(host.len, 200), host.p);
}

/* The part between the slashes and the path, without a user. */
static struct str host_of(struct str url, size_t scheme_len)
{
	struct str host = { url.p + scheme_len, 0 };
	size_t left = url.len - scheme_len;

	while (host.len < left && !memchr("/?#\\", host.p[host.len], 4))
		host.len++;
	for (const char *at = memchr(host.p, '@', host.len); at; at = memchr(host.p, '@', host.len)) {
		host.len -= (size_t)(at + 1 - host.p);
		host.p = at + 1;
	}
	return host;
}

int address_check_host(struct call *call, struct str url)
{
	const char *const *allowed = policy_config(principal_policy(call->caller))->browser.allow_hosts;
	struct net_host host;

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		size_t len = strlen(schemes[i].prefix);

		if (schemes[i].port == 0 || url.len < len || strncasecmp(url.p, schemes[i].prefix, len) != 0)
			continue;
		/* What is no host for us, the browser or the proxy will judge. */
		if (address_any_host(allowed) || net_host_parse(host_of(url, len), &host) < 0)
			return 0;
		if (host.port == 0)
			host.port = schemes[i].port;
		return net_patterns_allow(allowed, &host) ? 0 : address_refuse(call, host_of(url, len));
	}
	return 0;
}

/* As long as the browser writes it: what is not ASCII takes three bytes for one. */
static size_t written_length(const char *url)
{
	size_t len = 0;

	for (; *url; url++)
		len += (unsigned char)*url >= 0x80 ? 3 : 1;
	return len;
}

int address_check(struct call *call, const char *url)
{
	/* The browser drops a longer one without a word and stays where it is. */
	if (written_length(url) > URL_MAX)
		return err_set(&call->err, ERR_ARGS_INVALID, "parameter 'url' is over %d bytes", URL_MAX);
	if (strcasecmp(url, "about:blank") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (strncasecmp(url, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
			return address_check_host(call, str_of(url));
	}
	return err_set(&call->err, ERR_ARGS_INVALID,
		"'url' must begin with http:// or https:// or data:, or be about:blank; it is '%.100s'", url);
}
