/* SPDX-License-Identifier: Apache-2.0 */
/* What git status prints, entry by entry. */
#include "ops/devtools/git_status_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define HASHES "1111111111111111111111111111111111111111 2222222222222222222222222222222222222222"

static struct git_branch branch;
static struct git_entry entry;

static void is(struct str text, const char *wanted)
{
	assert_true(str_is(text, wanted));
}

static void headers(void **state)
{
	struct str rest = STR(
		"# branch.oid abc\0# branch.head a b\0# branch.upstream o/m\0# branch.ab +3 -12\0# stash 4\0");

	(void)state;
	branch = (struct git_branch){ 0 };
	assert_int_equal(git_status_next(&rest, &branch, &entry), 0);
	is(branch.commit, "abc");
	is(branch.name, "a b");
	is(branch.upstream, "o/m");
	assert_int_equal(branch.ahead, 3);
	assert_int_equal(branch.behind, 12);
	branch = (struct git_branch){ 0 };
	rest = STR("# branch.oid (initial)\0# branch.head (detached)\0");
	assert_int_equal(git_status_next(&rest, &branch, &entry), 0);
	assert_null(branch.commit.p);
	assert_null(branch.name.p);
}

static void entries(void **state)
{
	struct str rest = STR("1 MD N... 100644 100644 000000 " HASHES " a b\nc\0"
			      "2 R. N... 100644 100644 100644 " HASHES " R100 new name\0old\nname\0"
			      "2 .C N... 100644 100644 100644 " HASHES " C75 copy\0from\0"
			      "1 .T N... 100644 100644 120000 " HASHES " t\0"
			      "1 A. N... 000000 100644 100644 " HASHES " add\0"
			      "u UU N... 100644 100644 100644 100644 " HASHES " 3333 both ways\0"
			      "? un tracked\0! ignored\0");

	(void)state;
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	is(entry.path, "a b\nc");
	assert_true(entry.has_staged && entry.staged == GIT_MODIFIED && entry.has_unstaged &&
		    entry.unstaged == GIT_DELETED);
	assert_null(entry.old_path.p);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	is(entry.path, "new name");
	is(entry.old_path, "old\nname");
	assert_true(entry.has_staged && entry.staged == GIT_RENAMED && !entry.has_unstaged);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	assert_true(!entry.has_staged && entry.has_unstaged && entry.unstaged == GIT_COPIED);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	assert_true(entry.has_unstaged && entry.unstaged == GIT_MODIFIED);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	assert_true(entry.has_staged && entry.staged == GIT_ADDED);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	is(entry.path, "both ways");
	assert_true(!entry.has_staged && entry.unstaged == GIT_UNMERGED);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 1);
	is(entry.path, "un tracked");
	assert_true(entry.unstaged == GIT_UNTRACKED);
	assert_int_equal(git_status_next(&rest, &branch, &entry), 0);
}

static void broken(void **state)
{
	static const struct str bad[] = { { "9 x\0", 4 }, { "1 M\0", 4 }, { "1 MM N...\0", 10 }, { "u UU\0", 5 },
		{ "?\0", 2 }, { "\0", 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct str rest = bad[i];

		assert_int_equal(git_status_next(&rest, &branch, &entry), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers),
		cmocka_unit_test(entries),
		cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
