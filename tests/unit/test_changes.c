/* SPDX-License-Identifier: Apache-2.0 */
/* Events made by hand, so that halves of renames and losses come in every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/budget.h"
#include "base/clock.h"
#include "ops/files/changes.h"

#include <stdio.h>
#include <stdlib.h>

static char told[1 << 16];

static void tell(struct changes *c, enum change_type type, const char *path, const char *old_path, bool is_dir)
{
	static const char *const types[] = { "create", "write", "remove", "rename", "chmod" };
	size_t len = strlen(told);

	(void)c;
	snprintf(told + len, sizeof told - len, "%s %s%s%s%s\n", types[type], path, is_dir ? "/" : "",
		old_path ? " " : "", old_path ? old_path : "");
}

static void wake(struct changes *c)
{
	(void)c;
}

/* A folder without any mark of the kernel. */
static void add_folder(struct changes *c, struct folder *parent, const char *name)
{
	struct folder *f = calloc(1, sizeof *f);
	struct cover part = { .root = f };
	static uint64_t id = UINT64_C(1) << 40;

	assert_true(budget_take(2 * sizeof *f + 1));
	f->mark.wd = -1;
	f->id = ++id;
	f->name = strdup("");
	list_init(&f->mark.node);
	list_init(&f->node);
	list_init(&f->children);
	if (parent)
		cover_take(&c->cover, parent, name, &part);
	else
		c->cover = part;
}

static void set_up(struct changes *c)
{
	*c = (struct changes){ .root = "/r", .recursive = true, .wake = wake, .tell = tell };
	changes_init(c);
	add_folder(c, NULL, "");
	told[0] = '\0';
}

static void tear_down(struct changes *c)
{
	changes_done(c);
	cover_free(&c->cover);
	assert_int_equal(budget_used(), 0);
}

static void happen(struct changes *c, struct folder *in, uint32_t mask, uint32_t cookie, const char *name)
{
	_Alignas(struct inotify_event) char bytes[sizeof(struct inotify_event) + 256] = { 0 };
	struct inotify_event *event = (struct inotify_event *)bytes;

	event->mask = mask;
	event->cookie = cookie;
	event->len = name ? (uint32_t)strlen(name) + 1 : 0;
	if (name)
		memcpy(event->name, name, strlen(name) + 1);
	c->user.on_event(&c->user, in ? &in->mark : &c->above, event);
}

static enum changes_next run(struct changes *c)
{
	enum changes_next next;

	do {
		next = changes_step(c);
	} while (next == CHANGES_MORE);
	return next;
}

static void test_plain_changes(void **state)
{
	struct changes c;

	(void)state;
	set_up(&c);
	happen(&c, c.cover.root, IN_CREATE, 0, "f");
	happen(&c, c.cover.root, IN_MODIFY, 0, "f");
	happen(&c, c.cover.root, IN_MODIFY, 0, "f");
	happen(&c, c.cover.root, IN_ATTRIB, 0, "f");
	happen(&c, c.cover.root, IN_DELETE, 0, "f");
	assert_int_equal(run(&c), CHANGES_NONE);
	assert_string_equal(told, "create /r/f\nwrite /r/f\nchmod /r/f\nremove /r/f\n");
	tear_down(&c);
}

/* False: this thread had no CPU for so long that the second half came too late. */
static bool halves_meet(struct changes *c)
{
	int64_t before = clock_now_ns();
	enum changes_next next;

	set_up(c);
	cover_learn(&c->cover, c->cover.root, "a");
	happen(c, c->cover.root, IN_MOVED_FROM, 7, "a");
	next = run(c);
	happen(c, c->cover.root, IN_CREATE, 0, "x");
	happen(c, c->cover.root, IN_MOVED_TO, 7, "b");
	if (clock_now_ns() - before >= CHANGES_PAIR_MS * NS_PER_MS) {
		tear_down(c);
		return false;
	}
	assert_int_equal(next, CHANGES_WAIT);
	assert_int_equal(run(c), CHANGES_NONE);
	assert_string_equal(told, "rename /r/b /r/a\ncreate /r/x\n");
	return true;
}

static void test_halves_of_a_rename(void **state)
{
	struct changes c;

	(void)state;
	while (!halves_meet(&c))
		;
	told[0] = '\0';
	happen(&c, c.cover.root, IN_MOVED_FROM, 8, "b");
	while (run(&c) == CHANGES_WAIT)
		;
	assert_string_equal(told, "remove /r/b\n");
	told[0] = '\0';
	happen(&c, c.cover.root, IN_MOVED_TO, 9, "b");
	happen(&c, c.cover.root, IN_MOVED_TO, 10, "x");
	assert_int_equal(run(&c), CHANGES_NONE);
	assert_string_equal(told, "create /r/b\nwrite /r/x\n");
	tear_down(&c);
}

static void test_folders_move_with_what_is_in_them(void **state)
{
	struct folder *a, *b;
	struct changes c;

	(void)state;
	set_up(&c);
	add_folder(&c, c.cover.root, "a");
	a = cover_find(&c.cover, c.cover.root, "a");
	add_folder(&c, a, "b");
	b = cover_find(&c.cover, a, "b");
	happen(&c, c.cover.root, IN_MOVED_FROM | IN_ISDIR, 1, "a");
	happen(&c, c.cover.root, IN_MOVED_TO | IN_ISDIR, 1, "z");
	happen(&c, b, IN_CREATE, 0, "f");
	happen(&c, c.cover.root, IN_DELETE | IN_ISDIR, 0, "z");
	happen(&c, b, IN_CREATE, 0, "late");
	assert_int_equal(run(&c), CHANGES_NONE);
	assert_string_equal(told, "rename /r/z/ /r/a\ncreate /r/z/b/f\nremove /r/z/\n");
	assert_null(cover_find(&c.cover, c.cover.root, "z"));
	tear_down(&c);
}

static void test_new_folders_are_to_be_covered(void **state)
{
	AUTOBUF struct buf found;
	struct cover none = { 0 };
	struct changes c;

	(void)state;
	set_up(&c);
	buf_init(&found, 100);
	happen(&c, c.cover.root, IN_CREATE | IN_ISDIR, 0, "d");
	assert_int_equal(run(&c), CHANGES_SCAN);
	assert_ptr_equal(c.scan_folder, c.cover.root);
	assert_string_equal(c.scan_name, "d");
	changes_scanned(&c, &none, &found); /* it is gone already */
	happen(&c, c.cover.root, IN_CREATE | IN_ISDIR, 0, "e");
	assert_int_equal(run(&c), CHANGES_SCAN);
	tear_down(&c); /* in the middle */
}

static void test_a_full_queue_is_a_loss(void **state)
{
	char name[16];
	struct changes c;

	(void)state;
	set_up(&c);
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "f%d", i);
		happen(&c, c.cover.root, IN_CREATE, 0, name);
	}
	assert_int_equal(changes_step(&c), CHANGES_LOST);
	changes_clear(&c);
	assert_int_equal(changes_step(&c), CHANGES_NONE);
	c.user.on_overflow(&c.user);
	assert_int_equal(changes_step(&c), CHANGES_LOST);
	tear_down(&c);
}

static void test_the_end(void **state)
{
	struct changes c;

	(void)state;
	set_up(&c);
	happen(&c, NULL, IN_DELETE | IN_ISDIR, 0, "other");
	assert_int_equal(run(&c), CHANGES_NONE);
	happen(&c, NULL, IN_DELETE | IN_ISDIR, 0, "r");
	assert_int_equal(run(&c), CHANGES_DELETED);
	happen(&c, NULL, IN_MOVED_FROM | IN_ISDIR, 1, "r");
	assert_int_equal(run(&c), CHANGES_MOVED);
	happen(&c, c.cover.root, IN_DELETE_SELF, 0, NULL);
	assert_int_equal(run(&c), CHANGES_DELETED);
	happen(&c, c.cover.root, IN_MOVE_SELF, 0, NULL);
	assert_int_equal(run(&c), CHANGES_MOVED);
	happen(&c, c.cover.root, IN_ATTRIB | IN_ISDIR, 0, NULL);
	assert_int_equal(run(&c), CHANGES_NONE);
	assert_string_equal(told, "chmod /r/\n");
	tear_down(&c);
}

static void test_known_names(void **state)
{
	char name[16];
	struct changes c;

	(void)state;
	set_up(&c);
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "%d", i);
		assert_true(cover_learn(&c.cover, c.cover.root, name));
	}
	for (int i = 0; i < 5000; i += 2) {
		snprintf(name, sizeof name, "%d", i);
		assert_true(cover_forget(&c.cover, c.cover.root, name));
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "%d", i);
		assert_int_equal(cover_learn(&c.cover, c.cover.root, name), i % 2 == 0);
	}
	tear_down(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_changes),
		cmocka_unit_test(test_halves_of_a_rename),
		cmocka_unit_test(test_folders_move_with_what_is_in_them),
		cmocka_unit_test(test_new_folders_are_to_be_covered),
		cmocka_unit_test(test_a_full_queue_is_a_loss),
		cmocka_unit_test(test_the_end),
		cmocka_unit_test(test_known_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
