/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every test runs twice: with openat2 and without.  They meet links, "..", two roots, a
 * token's narrower roots, denied and read-only entries, and a thread that swaps links.
 */
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

static void plain_paths_lead_where_they_say(void **state)
{
	(void)state;
	leads(at("/r/d/f"), at("/r/d/f"));
	leads("d/f", at("/r/d/f"));
	leads("~", at("/r"));
	leads("~/", at("/r"));
	leads("~/d", at("/r/d"));
	leads(".", at("/r"));
	leads("./d//./e/", at("/r/d/e"));
	leads(at("//r///d/"), at("/r/d"));
	leads(at("/r2/f"), at("/r2/f"));
	leads("nothing", at("/r/nothing"));
	leads("~x", at("/r/~x"));
	leads("..x", at("/r/..x"));
	leads("...", at("/r/..."));
	leads("-rf", at("/r/-rf"));
	leads("a\nb", at("/r/a\nb"));
	refused("", ERR_ARGS_INVALID);
	refused("nothing/x", ERR_FILES_NOT_FOUND);
	refused("f/x", ERR_FILES_NOT_DIR);
}

static void a_slash_at_the_end_asks_for_a_folder(void **state)
{
	struct place *place;

	(void)state;
	refused("f/", ERR_FILES_NOT_DIR);
	refused("f/.", ERR_FILES_NOT_DIR);
	refused("slashed", ERR_FILES_NOT_DIR);
	leads("deep/", at("/r/d/e"));
	leads_as(&server, "deep/", F_NOFOLLOW, at("/r/d/e"));
	refused_as(&server, "l/", F_NOFOLLOW, ERR_POLICY_PATH);
	refused_as(&server, "deep/", F_NOFOLLOW | F_WRITE, ERR_FILES_NOT_DIR);
	refused_as(&server, "deep/.", F_NOFOLLOW | F_WRITE, ERR_FILES_NOT_DIR);
	place = resolve_as(&server, "new/", 0);
	assert_non_null(place);
	assert_true(place->wants_folder);
	place_close(place);
	place = resolve_as(&server, "gone/new/", F_MISSING_OK);
	assert_non_null(place);
	assert_true(place->missing && place->wants_folder);
	place = resolve_as(&server, "gone/new", F_MISSING_OK);
	assert_non_null(place);
	assert_true(place->missing && !place->wants_folder);
	place = resolve_as(&server, "new", 0);
	assert_non_null(place);
	assert_false(place->wants_folder);
	place_close(place);
}

static void dots_stay_inside(void **state)
{
	(void)state;
	leads("d/..", at("/r"));
	leads("d/e/../f", at("/r/d/f"));
	leads("d/../d/e/.", at("/r/d/e"));
	leads("deep/..", at("/r/d")); /* of the link's target, as the kernel does */
	leads("d/e/..", at("/r/d"));
	refused("nothing/../f", ERR_FILES_NOT_FOUND);
	refused("f/..", ERR_FILES_NOT_DIR);
	refused("..", ERR_POLICY_PATH);
	refused("../r/f", ERR_POLICY_PATH);
	refused(at("/r/../r/f"), ERR_POLICY_PATH);
	refused(at("/r/../r2/f"), ERR_POLICY_PATH);
	refused(at("/r/d/../../r/f"), ERR_POLICY_PATH);
	refused(at("/r/nothing/../../r-evil/s"), ERR_POLICY_PATH);
	refused("other/../f", ERR_FILES_NOT_DIR);
}

static void outside_is_denied(void **state)
{
	(void)state;
	refused("/", ERR_POLICY_PATH);
	refused("/etc/passwd", ERR_POLICY_PATH);
	assert_string_equal(err.rule, "policy:paths.roots");
	assert_string_equal(err.text, "path is outside the allowed roots: /etc/passwd");
	refused("/etc/nothing", ERR_POLICY_PATH);
	refused(at("/r-evil/s"), ERR_POLICY_PATH);
	refused(at("/r-evil"), ERR_POLICY_PATH);
	refused(at("/"), ERR_POLICY_PATH);
	refused("/proc/self/root/etc", ERR_POLICY_PATH);
}

static void links_out_are_denied(void **state)
{
	static const char *const ways[] = { "l", "lf", "l/f", "l/new", "l/..", "l/../r/f", "rel", "abs/../l/f" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		refused(ways[i], ERR_POLICY_PATH);
		assert_null(strstr(err.text, "out/"));
		assert_null(strstr(err.text, "etc"));
	}
	/* The link itself is an entry of the root. */
	leads_as(&server, "l", F_NOFOLLOW, at("/r/l"));
	leads_as(&server, "rel", F_NOFOLLOW, at("/r/rel"));
	refused_as(&server, "l/f", F_NOFOLLOW, ERR_POLICY_PATH);
}

static void links_inside_are_followed(void **state)
{
	(void)state;
	leads("abs/f", at("/r/d/f"));
	leads("abs", at("/r/d"));
	leads_as(&server, "abs", F_NOFOLLOW, at("/r/abs"));
	leads("other", at("/r2/f"));
	leads("rel2", at("/r2/f"));
	leads("dangling", at("/r/d/new"));
	leads_as(&server, "dangling", F_NOFOLLOW, at("/r/dangling"));
	refused("loop", ERR_ARGS_INVALID);
	refused("loop1/x", ERR_ARGS_INVALID);
	leads_as(&server, "loop", F_NOFOLLOW, at("/r/loop"));
}

static void forty_links_and_no_more(void **state)
{
	char name[32], before[32];

	(void)state;
	for (int i = 0; i <= 40; i++) {
		snprintf(name, sizeof name, "/r/n%d", i);
		snprintf(before, sizeof before, i ? "n%d" : "f", i - 1);
		assert_int_equal(symlink(before, at(name)), 0);
	}
	leads("n39", at("/r/f"));
	refused("n40", ERR_ARGS_INVALID);
	assert_int_equal(err.sys_errno, ELOOP);
}

static void long_names_are_refused(void **state)
{
	static char text[6000];
	struct place *place;

	(void)state;
	memset(text, 'x', sizeof text - 1);
	refused(text, ERR_ARGS_INVALID);
	text[256] = '\0';
	refused(text, ERR_ARGS_INVALID);
	text[255] = '\0';
	place = resolve_as(&server, text, 0);
	assert_non_null(place);
	assert_string_equal(place->name, text);
	place_close(place);
	for (size_t i = 0; i < 4095; i++)
		text[i] = "d/../"[i % 5];
	text[4095] = '\0';
	leads(text, at("/r"));
}

static void denied_entries_do_not_tell_what_is_there(void **state)
{
	static const char *const ways[] = {
		"d/.ssh",
		"d/.ssh/",
		"d/.ssh/id",
		"d/.ssh/id/x",
		"d/.ssh/no/x",
		"d/.ssh/no",
		"d/.ssh/../f",
		".ssh",
		".ssh/x",
		"abs/.ssh/id",
		"deep/../.ssh/id",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		refused(ways[i], ERR_POLICY_PATH);
		assert_string_equal(err.rule, "policy:paths.deny[0]");
		assert_non_null(strstr(err.text, ways[i]));
		assert_null(strstr(err.text, top));
		refused_as(&server, ways[i], F_MISSING_OK | F_NOFOLLOW, ERR_POLICY_PATH);
	}
	leads("d/.sshx", at("/r/d/.sshx"));
}

static void read_only_entries_are_not_written(void **state)
{
	(void)state;
	leads("ro/x", at("/r/ro/x"));
	refused_as(&server, "ro/x", F_WRITE, ERR_POLICY_READONLY);
	refused_as(&server, "ro", F_WRITE, ERR_POLICY_READONLY);
	refused_as(&server, "d/../ro/x/y", F_WRITE | F_MISSING_OK, ERR_POLICY_READONLY);
	leads_as(&server, "rox", F_WRITE, at("/r/rox"));
}

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

static void a_link_put_last_is_not_opened(void **state)
{
	struct place *place = resolve_as(&server, "f", 0);

	(void)state;
	assert_int_equal(unlink(at("/r/f")), 0);
	assert_int_equal(symlink(at("/out/f"), at("/r/f")), 0);
	assert_int_equal(place_open(place, O_RDONLY, 0), -ELOOP);
	place_close(place);
}

static void deep_path_resolves(void **state)
{
	static char path[4000];
	struct place *place;
	size_t len = 0;
	int dir = open(at("/r"), O_PATH);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		int next;

		assert_int_equal(mkdirat(dir, "x", 0755), 0);
		next = openat(dir, "x", O_PATH);
		assert_true(next >= 0);
		close(dir);
		dir = next;
		len += (size_t)snprintf(path + len, sizeof path - len, "x/");
	}
	close(dir);
	place = resolve_as(&server, path, 0);
	assert_non_null(place);
	assert_int_equal(strlen(place->path), strlen(top) + 2 + 2000);
	place_close(place);
	memcpy(path + len, "../..", 6);
	place = resolve_as(&server, path, 0);
	assert_non_null(place);
	assert_int_equal(strlen(place->path), strlen(top) + 2 + 2000 - 4);
	place_close(place);
}

static atomic_bool swapping;

/* Makes r/s a folder, a link out, and a link inside, as fast as it can. */
static void *swap_links(void *arg)
{
	const char *dir = at("/r/dir"), *name = at("/r/s"), *out = at("/out");

	(void)arg;
	while (atomic_load(&swapping)) {
		(void)!rename(dir, name);
		(void)!rename(name, dir);
		(void)!symlink(out, name);
		(void)!unlink(name);
		(void)!symlink("d", name);
		(void)!unlink(name);
	}
	return NULL;
}

static void nobody_gets_out_while_links_are_swapped(void **state)
{
	static char given[512];
	int64_t until = clock_now_ns() + 300 * NS_PER_MS;
	unsigned opened = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(mkdir(at("/r/dir"), 0755), 0);
	put("/r/dir/f", "dir");
	snprintf(given, sizeof given, "%s/r/s/f", top);
	atomic_store(&swapping, true);
	assert_int_equal(pthread_create(&thread, NULL, swap_links, NULL), 0);
	while (clock_now_ns() < until || opened == 0) {
		struct place *place = resolve_as(&server, given, 0);
		int fd = place ? place_open(place, O_RDONLY, 0) : -1;
		char text[8] = "";

		if (fd >= 0) {
			assert_true(read(fd, text, sizeof text - 1) >= 0);
			assert_string_not_equal(text, "out");
			opened++;
			close(fd);
		}
		place_close(place);
		arena_free(&arena);
	}
	atomic_store(&swapping, false);
	pthread_join(thread, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain_paths_lead_where_they_say),
		TEST(a_slash_at_the_end_asks_for_a_folder),
		TEST(dots_stay_inside),
		TEST(outside_is_denied),
		TEST(links_out_are_denied),
		TEST(links_inside_are_followed),
		TEST(forty_links_and_no_more),
		TEST(long_names_are_refused),
		TEST(denied_entries_do_not_tell_what_is_there),
		TEST(read_only_entries_are_not_written),
		TEST(a_token_sees_its_own_roots_only),
		TEST(roots_are_told),
		TEST(parents_are_made_inside),
		TEST(the_root_of_everything_is_a_root),
		TEST(a_link_put_last_is_not_opened),
		TEST(deep_path_resolves),
		TEST(nobody_gets_out_while_links_are_swapped),
	};
	int failed = cmocka_run_group_tests_name("with openat2", tests, with_kernel, NULL);

	return failed + cmocka_run_group_tests_name("without openat2", tests, without_kernel, NULL);
}
