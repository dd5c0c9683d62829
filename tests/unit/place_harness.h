/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of places share: a tree with two roots, links in and out of them, denied and
 * read-only entries, and principals that look at it.  Every test runs twice, see run_twice().
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/field.h"
#include "base/clock.h"
#include "policy/beneath.h"
#include "policy/place.h"
#include "policy/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The policy's part of a principal, as far as places ask for it. */
struct principal {
	struct roots *roots;
};

const struct roots *principal_roots(const struct principal *who)
{
	return who->roots;
}

static char top[64];
static struct principal server, token;
static struct arena arena;
static struct err err;

static const char *at(const char *rest)
{
	static char texts[8][512];
	static unsigned turn;
	char *text = texts[turn++ % ARRAY_LEN(texts)];

	snprintf(text, sizeof texts[0], "%s%s", top, rest);
	return text;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(at(path), "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_tree(void)
{
	static const char *const folders[] = { "/r", "/r/d", "/r/d/e", "/r/d/.ssh", "/r/ro", "/r2", "/r-evil", "/r/a",
		"/out" };
	static const char *const links[][2] = {
		{ "/out", "/r/l" },
		{ "/out/f", "/r/lf" },
		{ "/r/d", "/r/abs" },
		{ "/r2/f", "/r/other" },
	};

	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		assert_int_equal(mkdir(at(folders[i]), 0755), 0);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		assert_int_equal(symlink(at(links[i][0]), at(links[i][1])), 0);
	assert_int_equal(symlink("../../../../etc/passwd", at("/r/rel")), 0);
	assert_int_equal(symlink("../r2/f", at("/r/rel2")), 0);
	assert_int_equal(symlink("loop", at("/r/loop")), 0);
	assert_int_equal(symlink("loop2", at("/r/loop1")), 0);
	assert_int_equal(symlink("loop1", at("/r/loop2")), 0);
	assert_int_equal(symlink("d/e", at("/r/deep")), 0);
	assert_int_equal(symlink("d/new", at("/r/dangling")), 0);
	assert_int_equal(symlink("f/", at("/r/slashed")), 0);
	put("/r/f", "in");
	put("/r/d/f", "d");
	put("/r2/f", "r2");
	put("/r-evil/s", "evil");
	put("/out/f", "out");
	put("/r/d/.ssh/id", "secret");
}

static int set_up(void **state)
{
	struct roots_spec spec = { .rule = "paths" };
	struct roots_spec narrow = { .rule = "tokens.ci.paths" };

	(void)state;
	snprintf(top, sizeof top, "/tmp/test_place.XXXXXX");
	if (!mkdtemp(top))
		return -1;
	make_tree();
	spec.base = at("/r");
	spec.roots = LIST(at("/r"), at("/r2"));
	spec.deny = LIST("**/.ssh");
	spec.readonly = LIST("ro");
	server.roots = roots_new(&spec, &err);
	narrow.base = at("/r/d");
	narrow.roots = LIST(at("/r/d"));
	narrow.within = server.roots;
	token.roots = roots_new(&narrow, &err);
	arena_init(&arena, 1 << 20);
	return server.roots && token.roots ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	roots_free(token.roots);
	roots_free(server.roots);
	return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct place *resolve_as(const struct principal *who, const char *given, unsigned flags)
{
	err = (struct err){ 0 };
	return place_resolve(&arena, who, str_of(given), flags, &err);
}

/* The path leads to this place. */
static void leads_as(const struct principal *who, const char *given, unsigned flags, const char *path)
{
	struct place *place = resolve_as(who, given, flags);
	struct stat a, b;

	if (!place)
		fail_msg("'%s': %s", given, err.text);
	assert_string_equal(place->path, path);
	if (!place->missing && lstat(path, &b) == 0) {
		assert_int_equal(fstatat(place->parent_fd, place->name, &a, AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(a.st_ino, b.st_ino);
	}
	place_close(place);
}

static void leads(const char *given, const char *path)
{
	leads_as(&server, given, 0, path);
}

static void refused_as(const struct principal *who, const char *given, unsigned flags, enum err_code code)
{
	struct place *place = resolve_as(who, given, flags);

	if (place || err.code != code)
		fail_msg("'%s': %s, not %s: %s", given, place ? place->path : err_info(err.code)->wire_code,
			err_info(code)->wire_code, err.text);
}

static void refused(const char *given, enum err_code code)
{
	refused_as(&server, given, 0, code);
}

static int with_kernel(void **state)
{
	(void)state;
	beneath_use_openat2(true);
	return 0;
}

static int without_kernel(void **state)
{
	(void)state;
	beneath_use_openat2(false);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* With openat2, and without. */
#define run_twice(tests) \
	(cmocka_run_group_tests_name("with openat2", tests, with_kernel, NULL) + \
		cmocka_run_group_tests_name("without openat2", tests, without_kernel, NULL))
