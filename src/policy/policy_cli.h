/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "agent-sandbox-server policy check FILE" and "policy explain FILE …": the same code as a call,
 * and the line of the file that decided.
 */
#pragma once

#include "policy/policy.h"

#include <stdio.h>

/* What else a server asks of a policy at its start; NULL: nothing. */
typedef int policy_cli_more_fn(const struct policy *p, struct err *err);

/* Says "FILE: ok" on out, warnings and errors on err_out: 0 when a server here would start with it, else 1. */
int policy_cli_check(const char *file, policy_cli_more_fn *more, FILE *out, FILE *err_out);

/*
 * Says whether the token (a name of the file; NULL: none was sent) may call the op, on the path if
 * one is given, and by which rule: 0 allowed, 4 denied (as abx ends then), 2 when it cannot be told (on err_out).
 */
int policy_cli_explain(const char *file, const char *token, const char *op, const char *path, FILE *out, FILE *err_out);
