/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places by the shape of the roots: a token's narrower ones, "/", one behind a link; and parents.
 */
#include "place_harness.h"

static void a_token_sees_its_own_roots_only(void **state)
{
	(void)state;
	leads_as(&token, "f", 0, at("/r/d/f"));
	leads_as(&token, at("/r/d/e"), 0, at("/r/d/e"));
	refused_as(&token, at("/r/f"), 0, ERR_POLICY_PATH);
	assert_string_equal(err.rule, "policy:tokens.ci.paths.roots");
	refused_as(&token, "../f", 0, ERR_POLICY_PATH);
	refused_as(&token, at("/r/abs/f"), 0, ERR_POLICY_PATH);
	refused_as(&token, ".ssh/id", 0, ERR_POLICY_PATH);
	assert_int_equal(symlink(at("/r/f"), at("/r/d/up")), 0);
	assert_int_equal(symlink("../f", at("/r/d/up2")), 0);
	refused_as(&token, "up", 0, ERR_POLICY_PATH);
	refused_as(&token, "up2", 0, ERR_POLICY_PATH);
	leads("d/up", at("/r/f"));
	leads("d/up2", at("/r/f"));
}

static void roots_are_told(void **state)
{
	struct place *place = resolve_as(&server, "d/..", 0);
	int fd;

	(void)state;
	assert_true(place->is_root);
	assert_string_equal(place->name, ".");
	fd = place_open_dir(place);
	assert_true(fd >= 0);
	close(fd);
	place_close(place);
	assert_true(place_holds_root(&server, at("/r")));
	assert_true(place_holds_root(&server, at("")));
	assert_false(place_holds_root(&server, at("/r/d")));
	assert_true(place_holds_root(&token, at("/r/d")));
	assert_true(place_may_hold_rule(&server, at("/r/d")));
	assert_string_equal(place_base_path(&token), at("/r/d"));
	fd = place_base_fd(&token);
	assert_true(fd >= 0);
	assert_int_equal(faccessat(fd, "f", F_OK, 0), 0);
	close(fd);
}

static void the_root_of_everything_is_a_root(void **state)
{
	static const char *const all[] = { "/", NULL };
	struct roots_spec spec = { .base = at("/r"), .roots = all, .deny = LIST(at("/r/d/.ssh")), .rule = "paths" };
	struct principal everything = { roots_new(&spec, &err) };
	struct place *place;

	(void)state;
	assert_non_null(everything.roots);
	leads_as(&everything, "f", 0, at("/r/f"));
	leads_as(&everything, at("/out/f"), 0, at("/out/f"));
	leads_as(&everything, "l/f", 0, at("/out/f"));
	leads_as(&everything, "../r2/f", 0, at("/r2/f"));
	leads_as(&everything, "rel2", 0, at("/r2/f"));
	leads_as(&everything, "/", 0, "/");
	refused_as(&everything, "/..", 0, ERR_POLICY_PATH);
	refused_as(&everything, "d/.ssh/id", 0, ERR_POLICY_PATH);
	place = resolve_as(&everything, "/", 0);
	assert_non_null(place);
	assert_true(place->is_root);
	place_close(place);
	place = resolve_as(&everything, "new/sub", F_MISSING_OK);
	assert_non_null(place);
	assert_int_equal(place_make_parents(place, 0755, &err), 0);
	place_close(place);
	assert_int_equal(access(at("/r/new"), F_OK), 0);
	roots_free(everything.roots);
}

static void a_root_behind_a_link_has_two_spellings(void **state)
{
	struct roots_spec spec = {
		.base = at("/way/d"), .roots = LIST(at("/way")), .deny = LIST(at("/r/d/e")), .rule = "paths"
	};
	struct stat found, true_one;
	struct principal linked;
	struct place *place;

	(void)state;
	assert_int_equal(symlink("r", at("/way")), 0);
	linked.roots = roots_new(&spec, &err);
	assert_non_null(linked.roots);
	leads_as(&linked, "f", 0, at("/way/d/f"));
	leads_as(&linked, at("/way/f"), 0, at("/way/f"));
	leads_as(&linked, at("/r/f"), 0, at("/way/f"));
	leads_as(&linked, at("/r/abs/f"), 0, at("/way/d/f")); /* its target is spelled without the link */
	refused_as(&linked, at("/way/d/e/x"), 0, ERR_POLICY_PATH);
	refused_as(&linked, at("/r/d/e"), 0, ERR_POLICY_PATH);
	refused_as(&linked, at("/r2/f"), 0, ERR_POLICY_PATH);
	refused_as(&linked, at("/way/../r2/f"), 0, ERR_POLICY_PATH);
	assert_true(place_holds_root(&linked, at("/way")));
	/* Where the root leads was decided at the start. */
	assert_int_equal(unlink(at("/way")), 0);
	assert_int_equal(symlink("out", at("/way")), 0);
	place = resolve_as(&linked, at("/way/f"), 0);
	assert_non_null(place);
	assert_int_equal(stat(at("/r/f"), &true_one), 0);
	assert_int_equal(fstatat(place->parent_fd, place->name, &found, 0), 0);
	assert_int_equal(found.st_ino, true_one.st_ino);
	place_close(place);
	refused_as(&linked, at("/way/l/f"), 0, ERR_POLICY_PATH);
	roots_free(linked.roots);
}

static void parents_are_made_inside(void **state)
{
	struct place *place;
	struct stat st;

	(void)state;
	refused("p/q/s", ERR_FILES_NOT_FOUND);
	place = resolve_as(&server, "p/q/s", F_MISSING_OK);
	assert_non_null(place);
	assert_true(place->missing);
	assert_int_equal(place_open(place, O_RDONLY, 0), -ENOENT);
	assert_int_equal(place_make_parents(place, 0750, &err), 0);
	assert_false(place->missing);
	assert_int_equal(stat(at("/r/p/q"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	assert_int_equal(mkdirat(place->parent_fd, place->name, 0755), 0);
	assert_int_equal(access(at("/r/p/q/s"), F_OK), 0);
	place_close(place);
	place = resolve_as(&server, "w/x", F_MISSING_OK);
	assert_non_null(place);
	assert_int_equal(symlink(at("/out"), at("/r/w")), 0); /* in between */
	assert_int_equal(place_make_parents(place, 0755, &err), -1);
	assert_int_equal(access(at("/out/x"), F_OK), -1);
	place_close(place);
	refused_as(&server, "v/../x", F_MISSING_OK, ERR_FILES_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_token_sees_its_own_roots_only),
		TEST(roots_are_told),
		TEST(the_root_of_everything_is_a_root),
		TEST(a_root_behind_a_link_has_two_spellings),
		TEST(parents_are_made_inside),
	};

	return run_twice(tests);
}
