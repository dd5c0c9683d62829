/* SPDX-License-Identifier: Apache-2.0 */
/* The one page, with a browser that this test plays. */
#include "browser/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static struct browser {
	struct loop *loop;
	struct cdp cdp;
	struct page page;
	int fd; /* the browser's end */
	struct watch watch;
	const char *dies_at; /* the question that ends the browser */
	bool is_done, ok;
	char closed[64]; /* targets, each with a blank behind it */
} t;

static void on_event(void *user, struct str method, struct str params, struct str session, char *text)
{
	(void)user;
	page_event(&t.page, method, params, session, text);
}

static void on_cut(void *user, struct str method)
{
	(void)user;
	(void)method;
}

static void on_closed(void *user)
{
	(void)user;
}

static const struct cdp_events events = { on_event, on_cut, on_closed };

static void on_done(struct page *page, bool ok)
{
	(void)page;
	t.is_done = true;
	t.ok = ok;
	loop_stop(t.loop);
}

static void say(const char *text)
{
	assert_int_equal(write(t.fd, text, strlen(text) + 1), strlen(text) + 1);
}

static void answer(unsigned long long id, const char *rest)
{
	char text[256];

	snprintf(text, sizeof text, "{\"id\":%llu,%s}", id, rest);
	say(text);
}

/* What there is: the new page, its worker, and a window that the old page opened at the last moment. */
static void tell_targets(void)
{
	static const char *const targets[][2] = { { "t2", "page" }, { "t3", "service_worker" }, { "t4", "page" } };
	char text[256];

	for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
		snprintf(text, sizeof text,
			"{\"method\":\"Target.targetCreated\",\"params\":{\"targetInfo\":{\"targetId\":\"%s\",\"type\":\"%s\"}}}",
			targets[i][0], targets[i][1]);
		say(text);
	}
}

static void add_closed(const char *asked)
{
	char target[8] = "";
	size_t len = strlen(t.closed);

	assert_int_equal(sscanf(strstr(asked, "\"targetId\""), "\"targetId\":\"%7[a-z0-9]", target), 1);
	snprintf(t.closed + len, sizeof t.closed - len, "%s ", target);
	loop_stop(t.loop);
}

/* The first page closes itself when it is asked whether it listens; the second one is as it should be. */
static void reply(const char *asked)
{
	unsigned long long id;

	if (t.dies_at && strstr(asked, t.dies_at)) {
		watch_stop(&t.watch);
		shutdown(t.fd, SHUT_RDWR);
		return;
	}
	assert_int_equal(sscanf(asked, "{\"id\":%llu", &id), 1);
	if (strstr(asked, "Runtime.evaluate")) {
		say("{\"method\":\"Target.detachedFromTarget\",\"params\":{\"sessionId\":\"s1\",\"targetId\":\"t1\"}}");
		answer(id, "\"error\":{\"code\":-32001,\"message\":\"Session with given id not found.\"}");
	} else if (strstr(asked, "Target.createTarget")) {
		answer(id, "\"result\":{\"targetId\":\"t2\"}");
	} else if (strstr(asked, "Target.setDiscoverTargets") && strstr(asked, "true")) {
		answer(id, "\"result\":{}");
		tell_targets();
	} else if (strstr(asked, "Target.closeTarget")) {
		answer(id, "\"result\":{\"success\":true}");
		add_closed(asked);
	} else if (strstr(asked, "Target.attachToTarget")) {
		answer(id, "\"result\":{\"sessionId\":\"s2\"}");
	} else {
		answer(id, "\"result\":{}");
	}
}

static void on_asked(struct watch *w, unsigned happened)
{
	static char bytes[64 * 1024];
	ssize_t len = read(t.fd, bytes, sizeof bytes);

	(void)w;
	(void)happened;
	assert_true(len > 0 && bytes[len - 1] == '\0');
	for (ssize_t at = 0; at < len; at += (ssize_t)strlen(bytes + at) + 1)
		reply(bytes + at);
}

static int set_up(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	t = (struct browser){ .loop = loop_new(), .fd = ends[1] };
	assert_int_equal(watch_start(&t.watch, t.loop, t.fd, WATCH_READ, on_asked), 0);
	cdp_start(&t.cdp, t.loop, ends[0], &events, NULL);
	t.page = (struct page){ .loop = t.loop, .cdp = &t.cdp, .target = "t1", .session = "s1", .is_open = true };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	page_forget(&t.page);
	cdp_stop(&t.cdp);
	watch_stop(&t.watch);
	close(t.fd);
	loop_free(t.loop);
	return 0;
}

static void test_a_page_that_closes_itself_while_it_recovers(void **state)
{
	(void)state;
	page_recover(&t.page, on_done);
	loop_run(t.loop);
	assert_true(t.is_done && t.ok && t.page.is_open && !t.page.lost);
	assert_string_equal(t.page.session, "s2");
}

static void test_a_window_that_was_opened_while_the_page_was_replaced(void **state)
{
	(void)state;
	page_open(&t.page, t.loop, &t.cdp, on_done);
	while (!t.is_done || !strstr(t.closed, "t4"))
		loop_run(t.loop);
	assert_string_equal(t.closed, "t1 t4 ");
}

/* A crash is its owner's to tell: the page does not say something else of it before. */
static void test_a_browser_that_dies(void **state)
{
	static const char *const questions[] = { "Runtime.evaluate", "Target.createTarget", "Target.attachToTarget",
		"Emulation.setDeviceMetricsOverride" };

	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		set_up(state);
		t.dies_at = questions[i];
		page_recover(&t.page, on_done);
		loop_run(t.loop); /* until nothing is left to wait for */
		assert_false(t.is_done);
		tear_down(state);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_page_that_closes_itself_while_it_recovers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_window_that_was_opened_while_the_page_was_replaced, set_up, tear_down),
		cmocka_unit_test(test_a_browser_that_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
