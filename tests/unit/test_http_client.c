/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of answers over a socket pair: every framing whole, and cut at every byte: a body
 * that is cut is a failure, never an end.
 */
#include "cli/http_client.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct peer {
	int fd;
	struct str answer;
	char asked[4096];
	size_t asked_len;
};

/* Waits for one request without a body, answers, closes. */
static void *serve(void *user)
{
	struct peer *peer = user;
	ssize_t got;

	do {
		got = read(peer->fd, peer->asked + peer->asked_len, sizeof peer->asked - 1 - peer->asked_len);
		peer->asked_len += got > 0 ? (size_t)got : 0;
	} while (got > 0 && !strstr(peer->asked, "\r\n\r\n"));
	for (struct str left = peer->answer; left.len; left.p++, left.len--) {
		/* Byte by byte: no reader may depend on how an answer is cut. */
		if (send(peer->fd, left.p, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	close(peer->fd);
	return NULL;
}

struct result {
	int sent, read, status;
	struct buf body;
	struct problem problem;
};

static struct peer peer;

static struct result exchange(struct str answer)
{
	struct address address = { .kind = ADDRESS_UNIX, .path = "/x", .authority = "localhost", .prefix = "/p" };
	struct http_request request = { .method = "GET", .target = STR("/t?q"), .fields = STR("A: b\r\n") };
	struct result result = { .read = 0 };
	struct http_client client;
	pthread_t thread;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	peer = (struct peer){ .fd = fds[1], .answer = answer };
	http_client_init(&client, &address);
	buf_init(&result.body, 1 << 20);
	/* A kept connection, as after an earlier exchange. */
	transport_adopt(&client.transport, fds[0]);
	client.response.keep_alive = true;
	assert_int_equal(pthread_create(&thread, NULL, serve, &peer), 0);
	result.sent = http_client_send(&client, &request, &result.problem);
	result.status = client.response.status;
	if (result.sent == 0)
		result.read = http_client_read_all(&client, &result.body, &result.problem);
	pthread_join(thread, NULL);
	http_client_close(&client);
	return result;
}

static void check_whole(struct str answer, const char *body)
{
	struct result result = exchange(answer);

	assert_int_equal(result.sent, 0);
	assert_int_equal(result.read, 0);
	assert_true(str_is((struct str){ result.body.data ? result.body.data : "", result.body.len }, body));
	buf_free(&result.body);
}

static void check_every_cut(struct str answer, const char *body)
{
	check_whole(answer, body);
	for (size_t len = 0; len < answer.len; len++) {
		struct result result = exchange((struct str){ answer.p, len });

		assert_true(result.sent < 0 || result.read < 0);
		assert_int_not_equal(result.problem.exit_code, 0);
		buf_free(&result.body);
	}
}

static void test_the_request(void **state)
{
	(void)state;
	check_whole(STR("HTTP/1.1 204 No\r\n\r\n"), "");
	assert_string_equal(peer.asked,
		"GET /p/t?q HTTP/1.1\r\nHost: localhost\r\nUser-Agent: abx/" ABX_VERSION "\r\nA: b\r\n\r\n");
}

static void test_length(void **state)
{
	(void)state;
	check_every_cut(STR("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), "hello");
	check_every_cut(STR("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), "");
}

static void test_chunked(void **state)
{
	(void)state;
	check_every_cut(
		STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: 1\r\n\r\n"),
		"hello");
}

static void test_until_close(void **state)
{
	(void)state;
	check_whole(STR("HTTP/1.1 200 OK\r\n\r\nhello"), "hello");
}

static void test_interim_answers_are_passed_over(void **state)
{
	struct result result = exchange(STR(
		"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 102 P\r\nA: b\r\n\r\nHTTP/1.1 201 X\r\nContent-Length: 1\r\n\r\n!"));

	(void)state;
	assert_int_equal(result.status, 201);
	assert_int_equal(result.body.len, 1);
	buf_free(&result.body);
}

static void test_no_http(void **state)
{
	static const struct str answers[] = {
		STR("SSH-2.0\r\n\r\n"),
		STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
		STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct result result = exchange(answers[i]);

		assert_true(result.sent < 0 || result.read < 0);
		buf_free(&result.body);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_request),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_chunked),
		cmocka_unit_test(test_until_close),
		cmocka_unit_test(test_no_http),
		cmocka_unit_test(test_interim_answers_are_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
