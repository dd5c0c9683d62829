/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that lives as long as a policy and dies with it.
 *
 * Unlike an arena it never refuses: what it holds is sized by the policy file, not by a
 * client, and a reload must not fail because clients have used up their budget.
 */
#pragma once

#include "base/str.h"

struct hold_piece;

struct hold {
	struct hold_piece *pieces; /* newest first */
};

void hold_free(struct hold *h);

/* Zeroed, aligned for any type. */
void *hold_alloc(struct hold *h, size_t size) __attribute__((returns_nonnull));
#define hold_new(h, type) ((type *)hold_alloc((h), sizeof(type)))
#define hold_array(h, type, n) ((type *)hold_alloc((h), sizeof(type) * (n)))

char *hold_text(struct hold *h, struct str text) __attribute__((returns_nonnull));
char *hold_printf(struct hold *h, const char *fmt, ...) PRINTF_LIKE(2, 3) __attribute__((returns_nonnull));
