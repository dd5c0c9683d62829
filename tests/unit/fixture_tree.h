/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder that stands for "/" in tests of what reads /proc and /sys, made of paths and texts.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/base.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree[] = "/tmp/abx-test-tree-XXXXXX";

static inline void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *to;

	snprintf(full, sizeof full, "%s%s", tree, path);
	for (char *slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	to = fopen(full, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static inline int make_tree(void **state)
{
	(void)state;
	memcpy(tree + sizeof tree - 7, "XXXXXX", 6);
	return mkdtemp(tree) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline int remove_tree(void **state)
{
	(void)state;
	return nftw(tree, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define TREE_TEST(f) cmocka_unit_test_setup_teardown(f, make_tree, remove_tree)
