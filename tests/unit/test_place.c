/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: plain paths, links, "..", denied and read-only entries, and a thread that swaps links.
 */
#include "place_harness.h"

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
		TEST(a_link_put_last_is_not_opened),
		TEST(deep_path_resolves),
		TEST(nobody_gets_out_while_links_are_swapped),
	};

	return run_twice(tests);
}
