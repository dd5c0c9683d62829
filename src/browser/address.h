/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the page may be sent: http, https, data, about:blank (R84), and of hosts those that the
 * policy allows.  What the page itself asks for is held to them by the proxy.
 */
#pragma once

#include "call/call.h"

/* 0, or -1 with call->err: ERR_ARGS_INVALID, ERR_POLICY_HOST. */
int address_check(struct call *call, const char *url) MUST_CHECK;

/* The second part alone, for where a page has ended up; an address without a host is allowed. */
int address_check_host(struct call *call, struct str url) MUST_CHECK;

int address_refuse(struct call *call, struct str host); /* -1 with ERR_POLICY_HOST */

/* Whether the policy allows every host, so that no proxy is needed. */
bool address_any_host(const char *const *allow_hosts);
