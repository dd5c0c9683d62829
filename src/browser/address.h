/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the page may be sent: http, https, data, about:blank (R84).
 */
#pragma once

#include "call/call.h"

/* 0, or -1 with call->err: ERR_ARGS_INVALID, ERR_POLICY_HOST. */
int address_check(struct call *call, const char *url) MUST_CHECK;
