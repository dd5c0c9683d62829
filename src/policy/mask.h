/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets in texts that are written down: "***" stands in their place.
 *
 * mask_value() knows the secret.  mask_credentials() guesses, and rather takes too much:
 * - what follows a name that speaks of a secret and '=' or ':' (API_TOKEN=…, "password": "…",
 *   Authorization: …), or such an option and a blank (--password …);
 * - the word behind Bearer and Basic, and behind -u and --user when it holds a ':';
 * - what follows the letter behind which mysql, sshpass, redis-cli and a few others take a password (-pSECRET);
 * - user and password in front of a URL's host;
 * - words that begin as the keys of well-known services do, and PEM private keys.
 */
#pragma once

#include "base/buf.h"

void mask_value(struct buf *text, struct str secret);

struct mask_program;

/* What the next argument of a program is, after the ones before it: a secret, or has one behind its ':'; and which program it is of. */
struct mask_carry {
	bool secret, pair;
	const struct mask_program *program;
};

/* Adds the masked text to `to`.  The text may be one of several arguments; *carry is zeroed before the first. */
void mask_credentials(struct buf *to, struct str text, struct mask_carry *carry);
