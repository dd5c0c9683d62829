/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/roots.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static char top[64]; /* every test's own folder */

static const char *at(const char *rest)
{
	static char texts[8][256];
	static unsigned turn;
	char *text = texts[turn++ % ARRAY_LEN(texts)];

	snprintf(text, sizeof texts[0], "%s%s", top, rest);
	return text;
}

static int set_up(void **state)
{
	(void)state;
	snprintf(top, sizeof top, "/tmp/test_roots.XXXXXX");
	return mkdtemp(top) && mkdir(at("/r"), 0755) == 0 ? 0 : -1;
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
	return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void a_missing_root_names_its_key(void **state)
{
	struct roots_spec spec = { .base = at("/r"), .roots = LIST(at("/r"), at("/gone")), .rule = "paths" };
	struct err err = { 0 };

	(void)state;
	assert_null(roots_new(&spec, &err));
	assert_non_null(strstr(err.text, "paths.roots[1]"));
	assert_non_null(strstr(err.text, "/gone"));
}

static void the_base_lies_below_a_root(void **state)
{
	struct roots_spec spec = { .base = at("/other"), .roots = LIST(at("/r")), .rule = "paths" };
	struct err err = { 0 };

	(void)state;
	assert_null(roots_new(&spec, &err));
	assert_non_null(strstr(err.text, "paths.base"));
	spec.base = at("/r-x"); /* a sibling with the same beginning */
	assert_null(roots_new(&spec, &err));
	spec.base = "r";
	assert_null(roots_new(&spec, &err));
	spec.base = at("/r/../r");
	assert_null(roots_new(&spec, &err));
}

static void the_default_base_is_made(void **state)
{
	struct roots_spec spec = {
		.base = at("/x/y/z"), .roots = LIST(at("/x/y/z")), .rule = "paths", .make_base = true
	};
	struct err err = { 0 };
	struct roots *r = roots_new(&spec, &err);

	(void)state;
	assert_non_null(r);
	assert_int_equal(access(at("/x/y/z"), F_OK), 0);
	assert_string_equal(roots_base(r), at("/x/y/z"));
	roots_free(r);
}

static void spellings_are_tidied(void **state)
{
	struct roots_spec spec = { .base = at("//r/./"), .roots = LIST(at("/./r///")), .rule = "paths" };
	struct err err = { 0 };
	struct roots *r = roots_new(&spec, &err);

	(void)state;
	assert_non_null(r);
	assert_string_equal(roots_list(r)[0], at("/r"));
	assert_string_equal(roots_base(r), at("/r"));
	roots_free(r);
}

static void patterns_hold_in_either_spelling(void **state)
{
	struct roots_spec spec = {
		.base = at("/l"),
		.roots = LIST(at("/l")),
		.deny = LIST("secret", at("/r/real"), at("/l/shown"), "~/home", "**/.ssh"),
		.readonly = LIST("ro/*"),
		.rule = "paths",
	};
	struct err err = { 0 };
	struct roots *r;

	(void)state;
	assert_int_equal(symlink("r", at("/l")), 0);
	r = roots_new(&spec, &err);
	assert_non_null(r);
	assert_int_equal(roots_check_visible(r, at("/l/secret/x"), "given", &err), -1);
	assert_string_equal(err.rule, "policy:paths.deny[0]");
	assert_int_equal(err.code, ERR_POLICY_PATH);
	assert_int_equal(roots_check_visible(r, at("/l/real"), "given", &err), -1);
	assert_string_equal(err.rule, "policy:paths.deny[1]");
	assert_int_equal(roots_check_visible(r, at("/l/shown"), "given", &err), -1);
	assert_int_equal(roots_check_visible(r, at("/l/home"), "given", &err), -1);
	assert_int_equal(roots_check_visible(r, at("/l/a/.ssh/id"), "given", &err), -1);
	assert_string_equal(err.rule, "policy:paths.deny[4]");
	assert_null(strstr(err.text, top));
	assert_int_equal(roots_check_visible(r, at("/l/secrets"), "given", &err), 0);
	assert_int_equal(roots_check_visible(r, at("/l/ro/x"), "given", &err), 0);
	assert_int_equal(roots_check_write(r, at("/l/ro/x/y"), "given", &err), -1);
	assert_int_equal(err.code, ERR_POLICY_READONLY);
	assert_string_equal(err.rule, "policy:paths.readonly[0]");
	assert_int_equal(roots_check_write(r, at("/l/ro"), "given", &err), 0);
	assert_true(roots_reach_pattern(r, at("/l/ro")));
	assert_true(roots_hold_root(r, at("/l")));
	assert_true(roots_hold_root(r, "/"));
	assert_false(roots_hold_root(r, at("/l/x")));
	roots_free(r);
}

static void an_empty_or_climbing_pattern_is_refused(void **state)
{
	struct roots_spec spec = { .base = at("/r"), .roots = LIST(at("/r")), .deny = LIST(""), .rule = "paths" };
	struct err err = { 0 };

	(void)state;
	assert_null(roots_new(&spec, &err));
	assert_non_null(strstr(err.text, "paths.deny[0]"));
	spec.deny = LIST("ok", "../x");
	assert_null(roots_new(&spec, &err));
	assert_non_null(strstr(err.text, "paths.deny[1]"));
}

static bool same(int fd, const char *path)
{
	struct stat a, b;

	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(stat(path, &b), 0);
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void a_root_that_has_gone_is_opened_again(void **state)
{
	struct roots_spec spec = { .base = at("/r"), .roots = LIST(at("/r")), .rule = "paths" };
	struct err err = { 0 };
	struct roots *r = roots_new(&spec, &err);
	int fd;

	(void)state;
	assert_non_null(r);
	assert_int_equal(rmdir(at("/r")), 0);
	assert_int_equal(root_open(roots_at(r, at("/r"))), -ENOENT);
	assert_int_equal(mkdir(at("/r"), 0755), 0);
	fd = root_open(roots_at(r, at("/r")));
	assert_true(fd >= 0);
	assert_true(same(fd, at("/r")));
	close(fd);
	/* A link in its place is not followed. */
	assert_int_equal(rmdir(at("/r")), 0);
	assert_int_equal(symlink("/", at("/r")), 0);
	assert_true(root_open(roots_at(r, at("/r"))) < 0);
	roots_free(r);
}

static void a_tokens_root_lies_below_the_servers(void **state)
{
	struct roots_spec server = { .base = at("/r"), .roots = LIST(at("/r")), .deny = LIST("a/no"), .rule = "paths" };
	struct roots_spec token = {
		.base = at("/r/a"), .roots = LIST(at("/r/a")), .readonly = LIST("ro"), .rule = "tokens.ci.paths"
	};
	struct err err = { 0 };
	struct roots *s = roots_new(&server, &err), *t;
	int fd;

	(void)state;
	assert_non_null(s);
	token.within = s;
	t = roots_new(&token, &err); /* it need not be there yet */
	assert_non_null(t);
	assert_int_equal(root_open(roots_at(t, at("/r/a"))), -ENOENT);
	assert_int_equal(mkdir(at("/r/a"), 0755), 0);
	fd = root_open(roots_at(t, at("/r/a")));
	assert_true(same(fd, at("/r/a")));
	close(fd);
	assert_int_equal(roots_check_visible(t, at("/r/a/no/x"), "g", &err), -1);
	assert_string_equal(err.rule, "policy:paths.deny[0]");
	assert_int_equal(roots_check_write(t, at("/r/a/ro"), "g", &err), -1);
	assert_string_equal(err.rule, "policy:tokens.ci.paths.readonly[0]");
	assert_null(roots_at(t, at("/r")));
	assert_true(roots_hold_root(t, at("/r")));
	/* Swapped for a link: not followed. */
	assert_int_equal(rmdir(at("/r/a")), 0);
	assert_int_equal(symlink("/", at("/r/a")), 0);
	assert_true(root_open(roots_at(t, at("/r/a"))) < 0);
	roots_free(t);
	token.roots = LIST(at("/elsewhere"));
	token.base = at("/elsewhere");
	assert_null(roots_new(&token, &err));
	assert_non_null(strstr(err.text, "tokens.ci.paths.roots[0]"));
	roots_free(s);
}

static void a_tokens_root_behind_a_link_keeps_its_patterns(void **state)
{
	struct roots_spec server = { .base = at("/r"), .roots = LIST(at("/r")), .rule = "paths" };
	struct roots_spec token = {
		.base = at("/r/l"), .roots = LIST(at("/r/l")), .deny = LIST(at("/r/l/no")), .rule = "t"
	};
	struct err err = { 0 };
	struct roots *s = roots_new(&server, &err), *t;

	(void)state;
	assert_int_equal(mkdir(at("/r/real"), 0755), 0);
	assert_int_equal(symlink("real", at("/r/l")), 0);
	token.within = s;
	t = roots_new(&token, &err);
	assert_non_null(t);
	assert_string_equal(root_path(roots_at(t, at("/r/l"))), at("/r/real"));
	assert_int_equal(roots_check_visible(t, at("/r/real/no"), "g", &err), -1);
	assert_string_equal(roots_base(t), at("/r/real"));
	roots_free(t);
	roots_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_missing_root_names_its_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_base_lies_below_a_root, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_default_base_is_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spellings_are_tidied, set_up, tear_down),
		cmocka_unit_test_setup_teardown(patterns_hold_in_either_spelling, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_or_climbing_pattern_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_root_that_has_gone_is_opened_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_tokens_root_lies_below_the_servers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_tokens_root_behind_a_link_keeps_its_patterns, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
