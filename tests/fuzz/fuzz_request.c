/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaches the whole path of a request: http, serve, intake, catalog, policy, and the ops that run
 * nothing (their groups are switched off), over a socket pair, with a folder of its own as root.
 * Odd inputs are sent as they are; even ones are recipes from which requests are made by the
 * catalog's rows, so that they come past the codecs.
 * Properties: what comes back is answers, and a peer that has closed its side gets its end.
 */
#include "base/budget.h"
#include "base/clock.h"
#include "custom/commands.h"
#include "http/conn.h"
#include "policy/policy.h"
#include "server/host.h"
#include "server/serve.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SENT_MAX = 48 * 1024, PARAMS_IN_ONE = 4, REQUESTS_IN_ONE = 4, OPS_MAX = 200 };

#define END_WITHIN_NS (8 * NS_PER_S)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static char root[] = "/tmp/abx-fuzz-XXXXXX";
static struct loop *loop;
static struct http_server *server;

/* --- recipes: bytes that are used up --- */

struct recipe {
	const uint8_t *p;
	size_t len;
};

static unsigned take(struct recipe *r)
{
	if (r->len == 0)
		return 0;
	r->len--;
	return *r->p++;
}

static const char *pick(struct recipe *r, const char *const *words, size_t count)
{
	return words[take(r) % count];
}
#define PICK(r, words) pick(r, words, ARRAY_LEN(words))

static const char *a_path(struct recipe *r)
{
	static const char *const paths[] = { ".", "a", "b", "a/b", "a/b/c", "..", "../x", "/", "/etc/passwd", root, "~",
		"~/a", "a/../b", "", "link", "link/x", "a\\u0000b", "n\\u00e9w", "./a/", "/proc/self/mem", "loop", "-x",
		"*" };

	return PICK(r, paths);
}

static const char *a_text(struct recipe *r)
{
	static const char *const texts[] = { "", "a", "core.health", "files.stat", "\\ud83d\\ude00", "\\ud800", "x\\n",
		"0", "644", "7777", "tar.gz", "**", "AAH/", "A===", "LANG", "PATH", "[", "(a*)*b", "\\u2028" };

	return PICK(r, texts);
}

static const char *a_number(struct recipe *r)
{
	static const char *const numbers[] = { "0", "1", "-1", "2", "10", "1000", "0.5", "1e400", "9007199254740993",
		"3600", "true", "\"1\"" };

	return PICK(r, numbers);
}

/* Mostly of the row's type, now and then of another. */
static void add_value(struct recipe *r, struct buf *out, const struct field *f)
{
	enum field_type type = take(r) % 16 == 0 ? take(r) % FIELD_ANY : f->type;

	if (type == FIELD_PATH)
		buf_addf(out, "\"%s\"", a_path(r));
	else if (type == FIELD_INTEGER || type == FIELD_NUMBER)
		buf_adds(out, a_number(r));
	else if (type == FIELD_BOOLEAN)
		buf_adds(out, take(r) & 1 ? "true" : "false");
	else if (type == FIELD_CHOICE && f->choices)
		buf_addf(out, "\"%s\"", f->choices[0]);
	else if (type == FIELD_ARRAY)
		buf_addf(out, "[\"%s\",\"%s\"]", f->item_type == FIELD_PATH ? a_path(r) : a_text(r), a_text(r));
	else if (type == FIELD_MAP)
		buf_addf(out, "{\"%s\":\"%s\"}", a_text(r), a_text(r));
	else if (type == FIELD_OBJECT)
		buf_addf(out, "{\"%s\":%s}", a_text(r), a_number(r));
	else
		buf_addf(out, "\"%s\"", a_text(r));
}

static const struct field *a_row(struct recipe *r, const struct op *op)
{
	size_t count = 0;

	while (op->params && op->params[count].type != FIELD_NONE)
		count++;
	return count ? &op->params[take(r) % count] : NULL;
}

static void add_query(struct recipe *r, struct buf *out, const struct op *op)
{
	unsigned count = take(r) % PARAMS_IN_ONE;

	for (unsigned i = 0; i < count; i++) {
		const struct field *f = a_row(r, op);

		buf_addf(out, "%c%s=%s", i ? '&' : '?', f ? f->name : "x", take(r) & 1 ? a_path(r) : a_number(r));
	}
}

static void add_body(struct recipe *r, struct buf *out, const struct op *op)
{
	unsigned count = 1 + take(r) % PARAMS_IN_ONE;

	buf_addc(out, '{');
	for (unsigned i = 0; i < count; i++) {
		const struct field *f = a_row(r, op);

		if (!f)
			break;
		buf_addf(out, "%s\"%s%s\":", i ? "," : "", f->name, take(r) % 32 == 0 ? "_b64" : "");
		add_value(r, out, f);
	}
	buf_addc(out, '}');
}

static void add_headers(struct recipe *r, struct buf *out)
{
	static const char *const lines[] = { "", "", "", "Accept: application/octet-stream\r\n", "Range: bytes=0-3\r\n",
		"Range: bytes=-1\r\n", "If-None-Match: *\r\n", "If-Match: \"x\"\r\n", "Origin: http://localhost\r\n",
		"Content-Type: application/octet-stream\r\n", "Content-Type: multipart/form-data; boundary=b\r\n",
		"X-Request-Id: a\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n",
		"Authorization: Bearer x\r\n", "Idempotency-Key: k\r\n" };

	buf_adds(out, "Host: localhost\r\n");
	buf_adds(out, PICK(r, lines));
	buf_adds(out, PICK(r, lines));
}

static void add_request(struct recipe *r, struct buf *out)
{
	static const char *const methods[] = { "GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT" };
	const struct op *ops[OPS_MAX], *op;
	AUTOBUF struct buf body;
	unsigned way = take(r);
	size_t count = 0;

	for (const struct op *const *each = ops_all; *each && count < OPS_MAX; each++)
		ops[count++] = *each;
	op = ops[take(r) % count];
	buf_init(&body, SENT_MAX);
	if (way & 1)
		add_body(r, &body, op);
	buf_addf(out, "%s ", way & 1 ? "POST" : way & 2 ? op->method : PICK(r, methods));
	if (way & 4)
		buf_addf(out, "/ops/%s", op->id);
	else
		buf_adds(out, op->path);
	if (!(way & 1))
		add_query(r, out, op);
	buf_adds(out, " HTTP/1.1\r\n");
	add_headers(r, out);
	if (way & 8)
		buf_addf(out, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%.*s\r\n0\r\n\r\n", body.len, (int)body.len,
			body.len ? body.data : "");
	else
		buf_addf(out, "Content-Length: %zu\r\n\r\n%.*s", body.len, (int)body.len, body.len ? body.data : "");
}

static void make_requests(struct recipe r, struct buf *out)
{
	unsigned count = 1 + take(&r) % REQUESTS_IN_ONE;
	size_t hurt;

	for (unsigned i = 0; i < count && r.len; i++)
		add_request(&r, out);
	/* One byte changed, now and then. */
	hurt = (take(&r) << 8) + take(&r);
	if (hurt && hurt < out->len)
		out->data[hurt] = (char)take(&r);
}

/* --- one exchange --- */

static struct {
	int fd;
	struct turn turn;
	size_t heard;
	char begin[9];
	int64_t until_ns;
} peer;

static void on_turn(struct turn *t)
{
	static char got[65536];
	ssize_t len;

	while ((len = recv(peer.fd, got, sizeof got, MSG_DONTWAIT)) > 0) {
		for (ssize_t i = 0; i < len && peer.heard + (size_t)i < sizeof peer.begin; i++)
			peer.begin[peer.heard + (size_t)i] = got[i];
		peer.heard += (size_t)len;
	}
	assert(clock_now_ns() < peer.until_ns);
	if (http_server_connections(server) == 0)
		loop_stop(loop);
	else
		turn_start(t, loop, on_turn);
}

static void exchange(const char *bytes, size_t len)
{
	int pair[2], size = SENT_MAX * 4;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		abort();
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	peer.fd = pair[0];
	peer.heard = 0;
	peer.until_ns = clock_now_ns() + END_WITHIN_NS;
	conn_new(server, pair[1], 0);
	if (len && send(peer.fd, bytes, len, MSG_NOSIGNAL) < 0)
		abort();
	shutdown(peer.fd, SHUT_WR);
	turn_start(&peer.turn, loop, on_turn);
	loop_run(loop);
	close(peer.fd);
	assert(peer.heard == 0 ||
		(peer.heard > sizeof peer.begin && memcmp(peer.begin, "HTTP/1.1 ", sizeof peer.begin) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTOBUF struct buf made;

	buf_init(&made, SENT_MAX);
	if (size == 0)
		return 0;
	if (data[0] & 1) {
		exchange((const char *)data + 1, MIN(size - 1, (size_t)SENT_MAX));
	} else {
		make_requests((struct recipe){ data + 1, size - 1 }, &made);
		exchange(made.data, made.len);
	}
	/* Whatever came: nothing is held any more. */
	assert(budget_used() == 0);
	return 0;
}

/* --- what they meet --- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static void clean_up(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char *write_policy(void)
{
	static const char text[] = "{\"version\": 1, \"limits\": {\"max_body_bytes\": 65536}}\n";
	static char path[sizeof root + 8];
	FILE *file;

	snprintf(path, sizeof path, "%s.json", root);
	file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
	return path;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct http_limits limits;
	struct policy_settings settings = { .disabled_groups = "process,terminal,system,dev_tools,browser",
		.max_upload_size = 1 << 20 };
	struct manifests no_manifests = { .count = 0 };
	struct policy *policy;
	struct err err;

	(void)argc;
	(void)argv;
	if (!mkdtemp(root) || chdir(root) < 0 || symlink("/etc", "link") < 0 || symlink("loop", "loop") < 0)
		abort();
	atexit(clean_up);
	settings.base_dir = root;
	settings.file = write_policy();
	policy = policy_new(&settings, &err);
	unlink(settings.file);
	if (!policy)
		abort();
	loop = loop_new();
	call_host = &server_host;
	serve_init(loop, policy, &settings);
	commands_init(loop, NULL);
	commands_take(&no_manifests, policy);
	limits = http_default_limits;
	server = http_server_new(loop, &serve_handlers, &limits);
	budget_set_limit(64 << 20);
	return 0;
}
