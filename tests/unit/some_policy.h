/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies for tests: a folder with a base and a policy file, written from a text.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/policy.h"
#include "policy/token.h"

#include "some_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONE ((struct str){ NULL, 0 })

static char top[] = "/tmp/abx-test-policy-XXXXXX";
static char file[64], base[64];
static struct err err;

/* Writes the policy file; BASE in the text is the base folder, HASH(x) the digest of x. */
static inline void write_file(const char *text)
{
	FILE *to = fopen(file, "w");

	assert_non_null(to);
	for (const char *at = text; *at;) {
		if (strncmp(at, "BASE", 4) == 0) {
			fputs(base, to);
			at += 4;
		} else if (strncmp(at, "HASH(", 5) == 0) {
			uint8_t hash[TOKEN_HASH_SIZE];
			struct str rest = str_of(at + 5);

			token_digest(str_cut(&rest, ')'), hash);
			for (size_t i = 0; i < sizeof hash; i++)
				fprintf(to, "%02x", hash[i]);
			at = rest.p;
		} else {
			fputc(*at++, to);
		}
	}
	assert_int_equal(fclose(to), 0);
}

static inline struct policy *make_with(struct policy_settings settings, const char *text)
{
	if (text) {
		write_file(text);
		settings.file = file;
	}
	if (!settings.base_dir)
		settings.base_dir = base;
	return policy_new(&settings, &err);
}

static inline struct policy *make(const char *text)
{
	struct policy *p = make_with((struct policy_settings){ 0 }, text);

	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static inline void refuses_with(struct policy_settings settings, const char *text, const char *says)
{
	struct policy *p = make_with(settings, text);

	if (p)
		fail_msg("started: %s", text ? text : "-");
	if (!strstr(err.text, says))
		fail_msg("\n  said   %s\n  wanted %s", err.text, says);
}

static inline void refuses(const char *text, const char *says)
{
	refuses_with((struct policy_settings){ 0 }, text, says);
}

static inline const struct principal *caller(const struct policy *p, const char *secret)
{
	const struct principal *who = policy_authenticate(p, str_of(secret), NONE, &err);

	if (!who)
		fail_msg("%s: %s", secret ? secret : "-", err.text);
	return who;
}

static inline int set_up(void **state)
{
	char path[128];

	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(file, sizeof file, "%s/policy.yaml", top);
	snprintf(base, sizeof base, "%s/base", top);
	assert_int_equal(mkdir(base, 0700), 0);
	snprintf(path, sizeof path, "%s/sub", base);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/vendor", base);
	return mkdir(path, 0700);
}

static inline int tear_down(void **state)
{
	char path[128];

	(void)state;
	unlink(file);
	snprintf(path, sizeof path, "%s/sub", base);
	rmdir(path);
	snprintf(path, sizeof path, "%s/vendor", base);
	rmdir(path);
	rmdir(base);
	return rmdir(top);
}
