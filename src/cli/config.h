/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration file, ~/.config/abx/config.yaml (or below XDG_CONFIG_HOME):
 *
 *   current: work
 *   contexts:
 *     work: {url: "http://127.0.0.1:9000", token: "…"}
 *
 * It may hold tokens, so a file that group or others may read is refused.
 */
#pragma once

#include "cli/problem.h"

enum { CONFIG_CONTEXTS_MAX = 256 };

struct context {
	char *name, *url, *token; /* token NULL: none */
};

struct config {
	char *path, *current; /* current NULL: none */
	struct context contexts[CONFIG_CONTEXTS_MAX];
	size_t count;
};

/* A file that is not there is an empty configuration. */
int config_read(struct config *ret_config, struct problem *p) MUST_CHECK;
int config_write(const struct config *config, struct problem *p) MUST_CHECK; /* whole or not at all, mode 0600 */
void config_free(struct config *config);
#define AUTOCONFIG CLEANUP(config_free)

struct context *config_find(struct config *config, const char *name);
int config_set(
	struct config *config, const char *name, const char *url, const char *token, struct problem *p) MUST_CHECK;
void config_remove(struct config *config, struct context *context);
