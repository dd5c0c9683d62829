/* SPDX-License-Identifier: Apache-2.0 */
/* Which op answers a method and a path. */
#include "catalog/route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct op list = { .id = "things.list", .endpoint = "things_list", .method = "GET", .path = "/things" };
static const struct op add = { .id = "things.add", .method = "POST", .path = "/things" };
static const struct op get = { .id = "things.get", .method = "GET", .path = "/things/{id}" };
static const struct op drop = { .id = "things.drop", .method = "DELETE", .path = "/things/{id}" };
static const struct op tell = { .id = "things.tell", .method = "POST", .path = "/things/{id}/tell/{how}" };
static const struct op describe = { .id = "core.describe", .method = "GET", .path = "/ops", .also = "/ops/{name}" };
static const struct op talk = { .id = "things.talk", .method = "GET", .path = "/talk", .kind = OP_WS };

const struct op *const ops_all[] = { &list, &add, &get, &drop, &tell, &describe, &talk, NULL };

static struct route r;

static void find(const char *method, const char *path)
{
	struct str segments[16], rest = str_of(path + 1);
	size_t count = 0;

	while (rest.len)
		segments[count++] = str_cut(&rest, '/');
	route_find(str_of(method), segments, count, &r);
}

static void own_routes(void **state)
{
	(void)state;
	find("GET", "/things");
	assert_true(r.kind == ROUTE_REST && r.op == &list && !r.head && r.arg_count == 0);
	find("POST", "/things");
	assert_true(r.kind == ROUTE_REST && r.op == &add);
	find("HEAD", "/things");
	assert_true(r.kind == ROUTE_REST && r.op == &list && r.head);
	find("GET", "/ops");
	assert_true(r.kind == ROUTE_REST && r.op == &describe && r.arg_count == 0);
	find("GET", "/ops/x.y");
	assert_true(r.kind == ROUTE_REST && r.op == &describe && r.arg_count == 1);
	assert_true(str_is(r.args[0].name, "name") && str_is(r.args[0].value, "x.y"));
}

static void parts_of_the_path(void **state)
{
	(void)state;
	find("DELETE", "/things/a b");
	assert_true(r.kind == ROUTE_REST && r.op == &drop && r.arg_count == 1);
	assert_true(str_is(r.args[0].name, "id") && str_is(r.args[0].value, "a b"));
	find("POST", "/things/7/tell/loud");
	assert_true(r.op == &tell && r.arg_count == 2);
	assert_true(str_is(r.args[1].name, "how") && str_is(r.args[1].value, "loud"));
	assert_true(op_param_in_route(&tell, "how") && op_param_in_route(&tell, "id"));
	assert_false(
		op_param_in_route(&tell, "ho") || op_param_in_route(&tell, "howl") || op_param_in_route(&tell, ""));
	assert_true(op_param_in_route(&describe, "name"));
	assert_false(op_param_in_route(&describe, "nam") || op_param_in_route(&list, "id"));
}

static void unknown_paths(void **state)
{
	static const char *const paths[] = { "/", "/thing", "/thingss", "/things/1/tell", "/things/1/2",
		"/things/1/tell/a/b", "/x/things" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		find("GET", paths[i]);
		assert_true(r.kind == ROUTE_NONE && r.op == NULL);
		find("OPTIONS", paths[i]);
		assert_true(r.kind == ROUTE_NONE);
	}
}

static void known_paths_with_another_method(void **state)
{
	(void)state;
	find("PATCH", "/things");
	assert_true(r.kind == ROUTE_METHOD && r.op == NULL);
	assert_string_equal(r.allow, "GET, HEAD, POST, OPTIONS");
	find("get", "/things");
	assert_int_equal(r.kind, ROUTE_METHOD);
	find("HEAD", "/things/1/tell/x");
	assert_int_equal(r.kind, ROUTE_METHOD);
	assert_string_equal(r.allow, "POST, OPTIONS");
	find("OPTIONS", "/things/1");
	assert_int_equal(r.kind, ROUTE_OPTIONS);
	assert_string_equal(r.allow, "GET, HEAD, DELETE, OPTIONS");
	find("DELETE", "/ops/x");
	assert_int_equal(r.kind, ROUTE_METHOD);
	assert_string_equal(r.allow, "GET, HEAD, POST, OPTIONS");
}

static void the_uniform_route(void **state)
{
	(void)state;
	find("POST", "/ops/things.tell");
	assert_true(r.kind == ROUTE_UNIFORM && r.op == &tell && r.arg_count == 0);
	find("POST", "/ops/things_list");
	assert_true(r.kind == ROUTE_UNIFORM && r.op == &list);
	find("POST", "/ops/no.such");
	assert_true(r.kind == ROUTE_NONE);
	/* A WebSocket is not called this way. */
	find("POST", "/ops/things.talk");
	assert_int_equal(r.kind, ROUTE_NONE);
	find("POST", "/ops");
	assert_int_equal(r.kind, ROUTE_METHOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_routes),
		cmocka_unit_test(parts_of_the_path),
		cmocka_unit_test(unknown_paths),
		cmocka_unit_test(known_paths_with_another_method),
		cmocka_unit_test(the_uniform_route),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
