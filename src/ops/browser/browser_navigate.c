/* SPDX-License-Identifier: Apache-2.0 */
/*
 * browser.navigate: go to an address and wait until the page is there.
 */
#include "call/call.h"
#include "browser/page.h"

enum { TIMEOUT_DEFAULT = 30000, TIMEOUT_MAX = 300000 };

struct in {
	const char *url;
	int wait_until;
	int64_t timeout;
};

struct out {
	struct str url, title;
	struct opt_int status;
};

static const struct field params[] = {
	P_STRING(struct in, url, F_REQUIRED, "Where to go: http, https, data or about:blank."),
	P_CHOICE(struct in, wait_until, WAIT_NETWORK_IDLE, wait_until_choices,
		"When the page counts as there: its load event, its DOM, no request for 500 ms, or the first byte."),
	P_INT(struct in, timeout, TIMEOUT_DEFAULT, 1, TIMEOUT_MAX, "Milliseconds until it is given up."),
	FIELDS_END,
};

static const struct field result[] = {
	R_TEXT(struct out, url, "Where the page is, after redirects."),
	R_TEXT(struct out, title, "Its title."),
	R_NULL_INT(struct out, status, "The HTTP status of the main document; null where there was no HTTP."),
	FIELDS_END,
};

static void start(struct call *call)
{
	err_set(&call->err, ERR_RUNTIME_UNAVAILABLE, "there is no browser here");
	call_fail(call);
}

static const enum err_code errors[] = { ERR_RUNTIME_UNAVAILABLE, ERR_LIMIT_TOO_MANY, ERR_POLICY_HOST,
	ERR_BROWSER_TIMEOUT, ERR_BROWSER_FAILED, ERR_BROWSER_CRASHED, ERR_NONE };

const struct op op_browser_navigate = {
	.id = "browser.navigate",
	.endpoint = "browser_navigate",
	.group = "browser",
	.scope = "browser:use",
	.kind = OP_JSON,
	.method = "POST",
	.path = "/browser/navigate",
	.since = "0.1.0",
	.summary = "Go to an address and wait until the page is there.",
	.description =
		"A page that answers with an error status is a page: 'status' says so. 'networkidle' is the load event and no request for "
		"500 ms. Redirects and whatever the page loads are held to the policy's browser.allow_hosts.",
	.effects = OP_RUNS | OP_READS,
	.params = params,
	.params_size = sizeof(struct in),
	.result = result,
	.result_size = sizeof(struct out),
	.errors = errors,
	.start = start,
};
